"""Write a report as JUnit XML for CI systems: a suite a stage, a test case a question; a wrong answer is a failure.

It is valid by Ant's schema (windyroad's JUnit.xsd) and by Jenkins' (junit-10.xsd), so the root has no attributes.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from tetrad.contracts.reports import SHARE, QuestionResult, Report
from tetrad.reporting.units import value_in_unit

STAGE = "stage"  # the facet that names a question's place in its item
NO_STAGE = "questions"
CORRECT = "correct"
HOST = "localhost"  # the schema requires a host; ours is not public
TIME = "0"
ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not allowed in XML 1.0, even escaped
REPLACEMENT = "\ufffd"


def report_junit(report: Report) -> bytes:
    """Return the document in UTF-8. Missing and unread answers are failures, as in every score."""
    root = ET.Element("testsuites")
    stages: dict[str, list[QuestionResult]] = {}
    for result in report.questions:
        stages.setdefault(result.facets.get(STAGE, NO_STAGE), []).append(result)
    for place, (stage, results) in enumerate(stages.items()):
        root.append(_suite(report, place, stage, results))
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(report: Report, place: int, stage: str, results: list[QuestionResult]) -> ET.Element:
    identity = report.identity
    package = f"{identity.benchmark}.{identity.track}.{identity.setting}"
    suite = _element(
        "testsuite",
        name=f"{package}.{stage}",
        package=package,
        id=str(place),
        timestamp=report.scored_at[:19],  # the schema's dateTime has neither fraction nor zone
        hostname=HOST,
        tests=str(len(results)),
        failures=str(sum(result.verdict != CORRECT for result in results)),
        errors="0",
        skipped="0",
        time=TIME,
    )
    properties = _element("properties")
    properties.extend(_element("property", name=name, value=value) for name, value in _facts(report))
    suite.append(properties)
    suite.extend(_case(f"{package}.{stage}", result) for result in results)
    suite.extend([_element("system-out"), _element("system-err")])
    return suite


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
    case = _element("testcase", name=f"{name} ({facets})" if facets else name, classname=suite, time=TIME)
    if result.verdict != CORRECT:
        answer = "no answer" if result.answer is None else f"answer {result.answer}"
        failure = _element("failure", type=result.verdict, message=f"{result.verdict}: {answer}, right is {result.key}")
        failure.text = _legal(result.reason)
        case.append(failure)
    return case


def _element(tag: str, **attributes: str) -> ET.Element:
    return ET.Element(tag, {name: _legal(value) for name, value in attributes.items()})


def _legal(text: str) -> str:
    return ILLEGAL.sub(REPLACEMENT, text)
