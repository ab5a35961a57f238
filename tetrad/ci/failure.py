"""Write an error of `tetrad ci` where CI systems look: a job that ends with one must not have an empty page.

What an earlier job left there goes: it is not this job's result.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tetrad.files import whole_file
from tetrad.reporting.junit import TIME, junit_document, junit_element, junit_suite

RESULTS = Path("tetrad-ci")
SUMMARY, CASES, RESULT, PAGE = "summary.md", "junit.xml", "result.json", "report.html"
NAME = "tetrad ci"


def results_folder(arguments: Sequence[str]) -> Path:
    """Return the folder that --out names, also where the other arguments are wrong."""
    for number, argument in enumerate(arguments):
        name, given, value = argument.partition("=")
        if name == "--out" and (given or arguments[number + 1 :]):
            return Path(value if given else arguments[number + 1])
    return RESULTS


def write_error(folder: Path, message: str) -> None:
    """Write the summary and a JUnit file with one test case, which is the error.

    Raises:
        OSError: the folder can't be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in {SUMMARY: error_markdown(message).encode(), CASES: error_cases(message)}.items():
        with whole_file(folder / name, durable=False) as file:
            file.write(body)
    for name in (RESULT, PAGE):
        (folder / name).unlink(missing_ok=True)


def error_markdown(message: str) -> str:
    """Return the summary. The message stands in a block of code, so nothing of it is markup."""
    lines = "\n".join(f"    {line}" for line in message.splitlines())
    return f"## ⚠️ {NAME}: error\n\nNothing was decided.\n\n{lines}\n"


def error_cases(message: str) -> bytes:
    """Return the JUnit document in UTF-8."""
    case = junit_element("testcase", name=NAME, classname=NAME, time=TIME)
    case.append(junit_element("error", type="error", message=message))
    return junit_document([junit_suite(NAME, [case], package=NAME, at=datetime.now(UTC).isoformat(timespec="seconds"))])
