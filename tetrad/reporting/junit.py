"""Write a report as JUnit XML for CI systems: a suite a stage, a test case a question.

A wrong answer is a skipped test case with its verdict, because a model's mistake is no failure of a build. A build
fails by the score: with a threshold, a suite of its own has one test case, which fails below it.

It is valid by Ant's schema (windyroad's JUnit.xsd) and by Jenkins' (junit-10.xsd), so the root has no attributes.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

from tetrad.contracts.reports import SHARE, QuestionResult, Report
from tetrad.reporting.units import in_unit, value_in_unit

STAGE = "stage"  # the facet that names a question's place in its item
NO_STAGE = "questions"
THRESHOLD = "score"
CORRECT = "correct"
HOST = "localhost"  # the schema requires a host; ours is not public
TIME = "0"
ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not allowed in XML 1.0, even escaped
REPLACEMENT = "\ufffd"


def report_junit(report: Report, *, fail_under: float | None = None) -> bytes:
    """Return the document in UTF-8. `fail_under` is the least share that the headline must have."""
    stages: dict[str, list[QuestionResult]] = {}
    for result in report.questions:
        stages.setdefault(result.facets.get(STAGE, NO_STAGE), []).append(result)
    suites = [
        _suite(report, place, stage, [_case(_suite_name(report, stage), result) for result in results])
        for place, (stage, results) in enumerate(stages.items())
    ]
    if fail_under is not None:
        suites.append(_suite(report, len(stages), THRESHOLD, [_threshold(report, fail_under)]))
    return junit_document(suites)


def _suite_name(report: Report, stage: str) -> str:
    identity = report.identity
    return f"{identity.benchmark}.{identity.track}.{identity.setting}.{stage}"


def _suite(report: Report, place: int, stage: str, cases: list[ET.Element]) -> ET.Element:
    name = _suite_name(report, stage)
    package = name.removesuffix(f".{stage}")
    return junit_suite(name, cases, package=package, at=report.scored_at, place=place, properties=_facts(report))


def _threshold(report: Report, fail_under: float) -> ET.Element:
    """Return the test case that fails if the headline is below the threshold, or has no value."""
    headline = report.headline
    least, shown = in_unit(fail_under, headline.unit), in_unit(headline.value, headline.unit)
    case = junit_element(
        "testcase",
        name=f"{headline.name} is {least} or more",
        classname=_suite_name(report, THRESHOLD),
        time=TIME,
    )
    if headline.value is None or headline.value < fail_under:
        case.append(junit_element("failure", type="below", message=f"{headline.name} is {shown}, below {least}"))
    return case


def _facts(report: Report) -> Iterable[tuple[str, str]]:
    headline = report.headline
    yield "submission", report.submission
    yield "conversation", report.conversation
    yield headline.name, "" if headline.value is None else f"{headline.value:.6f}"
    for value in report.metrics:
        if value.value is not None and value.unit != SHARE and not value.facets:
            yield value.name, value_in_unit(value)
    yield "seed", report.seed
    yield "commitment", report.commitment


def _case(suite: str, result: QuestionResult) -> ET.Element:
    facets = ", ".join(f"{name} {value}" for name, value in sorted(result.facets.items()) if name != STAGE)
    name = f"item {result.item}, question {result.question}"
    case = junit_element("testcase", name=f"{name} ({facets})" if facets else name, classname=suite, time=TIME)
    if result.verdict != CORRECT:
        answer = "no answer" if result.answer is None else f"answer {result.answer}"
        skipped = junit_element(
            "skipped", type=result.verdict, message=f"{result.verdict}: {answer}, right is {result.key}"
        )
        skipped.text = _legal(result.reason)
        case.append(skipped)
    return case


def junit_document(suites: Sequence[ET.Element]) -> bytes:
    """Return the document in UTF-8."""
    root = ET.Element("testsuites")
    root.extend(suites)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def junit_suite(
    name: str,
    cases: Sequence[ET.Element],
    *,
    package: str,
    at: str,
    place: int = 0,
    time: str = TIME,
    properties: Iterable[tuple[str, str]] = (),
) -> ET.Element:
    """Return a suite with its cases counted by their outcomes."""
    outcomes = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    suite = junit_element(
        "testsuite",
        name=name,
        package=package,
        id=str(place),
        timestamp=at[:19],  # the schema's dateTime has neither fraction nor zone
        hostname=HOST,
        tests=str(len(cases)),
        **{count: str(sum(case.find(tag) is not None for case in cases)) for count, tag in outcomes.items()},
        time=time,
    )
    listed = junit_element("properties")
    listed.extend(junit_element("property", name=key, value=value) for key, value in properties)
    suite.extend([listed, *cases, junit_element("system-out"), junit_element("system-err")])
    return suite


def junit_element(tag: str, **attributes: str) -> ET.Element:
    """Return an element whose attributes have no character that XML forbids."""
    return ET.Element(tag, {name: _legal(value) for name, value in attributes.items()})


def _legal(text: str) -> str:
    return ILLEGAL.sub(REPLACEMENT, text)
