"""`make client`: write the synchronous client of tetrad from the asynchronous one; with --check only compare them.

A word of the one stands for a word of the other, everywhere: in code, in docstrings, in what errors say.
"""

import re
import subprocess
import sys
from pathlib import Path

from deploy.drift import write_or_compare

CLIENT = Path(__file__).parents[1] / "tetrad" / "client"
NOTICE = "# Written by `make client` from asynchronous.py; do not edit it.\n"
WORDS = {
    "async ": "",
    "await ": "",
    "asynchronous": "synchronous",
    "asyncio": "time",
    "asynccontextmanager": "contextmanager",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aiter_lines": "iter_lines",
    "aread": "read",
    "AsyncClient": "Client",
    "read_ahead_async": "read_ahead",
    "AsyncHTTPTransport": "HTTPTransport",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
}
WORD = re.compile("|".join(rf"\b{word}" if word.endswith(" ") else rf"\b{word}\b" for word in WORDS))


def make_synchronous(source: str) -> str:
    """Return the synchronous text of an asynchronous one, formatted.

    Raises:
        ValueError: something asynchronous is left, for which WORDS has no word.
    """
    text = WORD.sub(lambda word: WORDS[word[0]], source)
    if left := re.findall(r"\b\w*a(?:sync|wait)\w*", text, re.IGNORECASE):
        raise ValueError(f"no synchronous word for {', '.join(sorted(set(left)))}: add it to WORDS")
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(CLIENT / "synchronous.py"), "-"]
    return subprocess.run(  # noqa: S603 -- our own linter, on our own text
        ruff, input=NOTICE + text, capture_output=True, text=True, check=True
    ).stdout


def main(arguments: list[str], folder: Path = CLIENT) -> int:
    """Write the synchronous client, or say that the one that is checked in is stale."""
    made = make_synchronous((folder / "asynchronous.py").read_text())
    return write_or_compare(folder / "synchronous.py", made, arguments, "`make client`")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
