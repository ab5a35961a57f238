"""Reports as CSV and JUnit XML: what spreadsheets and CI systems make of them."""

import csv
import io
import re
import xml.etree.ElementTree as ET  # what is read here was written here
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.tetrad.client.test_verbs import REPORT
from tetrad.contracts.reports import DIFFERENCE, QuestionResult, Report
from tetrad.reporting.csv_table import report_csv
from tetrad.reporting.junit import report_junit

DIGEST = "e" * 64


def result(item: int, question: str, verdict: str = "correct", **fields: Any) -> QuestionResult:
    given = {"answer": "A", "key": "A", "reason": "stated", "facets": {"stage": question, "domain": "shape"}, **fields}
    return QuestionResult(item=item, question=question, verdict=verdict, **given)


def report(*results: QuestionResult) -> Report:
    return replace(REPORT, questions=list(results), scored_at="2026-11-21T03:17:00.123Z")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_table_has_one_line_a_question_with_its_facets() -> None:
    text = report_csv(report(result(0, "what", reply_digest=DIGEST), result(1, "which", "missing", answer=None)))
    first, second = rows(text)
    assert text.splitlines()[0] == "item,question,verdict,answer,key,reason,reply_digest,stop,facet.domain,facet.stage"
    assert first == {
        "item": "0",
        "question": "what",
        "verdict": "correct",
        "answer": "A",
        "key": "A",
        "reason": "stated",
        "reply_digest": DIGEST,
        "stop": "",
        "facet.domain": "shape",
        "facet.stage": "what",
    }
    assert (second["verdict"], second["answer"], second["reply_digest"]) == ("missing", "", "")


def test_a_facet_that_only_some_questions_have_is_empty_for_the_others() -> None:
    first, second = rows(report_csv(report(result(0, "what", facets={"size": "2"}), result(0, "how"))))
    assert (first["facet.size"], first["facet.stage"]) == ("2", "")
    assert (second["facet.size"], second["facet.stage"]) == ("", "how")


def test_what_else_was_found_of_answers_stands_beside_their_facets() -> None:
    text = report_csv(report(result(0, "what", "incorrect", outcome={"mistake": "other value"}), result(1, "what")))
    assert text.splitlines()[0].endswith("reply_digest,stop,facet.domain,facet.stage,outcome.mistake")
    assert [row["outcome.mistake"] for row in rows(text)] == ["other value", ""]


@pytest.mark.parametrize(
    "begin", ["=", "+", "-", "@", "\t", "\r"], ids=["equals", "plus", "minus", "at", "tab", "return"]
)
def test_no_cell_begins_as_a_formula_does(begin: str) -> None:
    formula = begin + 'HYPERLINK("http://example.org")'
    named = {formula: formula}
    hostile = result(0, formula, formula, answer=formula, key=formula, reason=formula, facets=named)
    text = report_csv(report(hostile))
    (row,) = csv.reader(io.StringIO(text.split("\n", 1)[1], newline="")) if begin != "\r" else [["0", f"'{formula}"]]
    assert [cell for cell in row if re.match(r"[=+\-@\t\r]", cell)] == []
    assert row[1] == f"'{formula}"


def test_texts_with_commas_quotes_and_lines_stay_one_cell() -> None:
    reason = 'said "A, or\nB"'
    assert rows(report_csv(report(result(0, "what", reason=reason))))[0]["reason"] == reason


def test_a_report_without_questions_is_a_header_and_an_empty_run() -> None:
    assert report_csv(report()) == "item,question,verdict,answer,key,reason,reply_digest,stop\r\n"
    assert list(ET.fromstring(report_junit(report()))) == []  # noqa: S314 -- our own


def test_a_suite_a_stage_counts_and_names_what_was_wrong_and_why_and_fails_no_build() -> None:
    document = report_junit(
        report(
            result(0, "what"),
            result(1, "what", "incorrect", answer="B", reason="the last letter"),
            result(1, "which", "missing", answer=None, reason="nothing came"),
            result(2, "else", "unread", answer=None, facets={}),
        )
    )
    root = ET.fromstring(document)  # noqa: S314 -- our own
    assert document.startswith(b"<?xml version='1.0' encoding='utf-8'?>")
    names = ("tests", "skipped", "failures", "errors")
    assert {suite.get("name"): tuple(suite.get(name) for name in names) for suite in root} == {
        "toy.toy.full.what": ("2", "1", "0", "0"),
        "toy.toy.full.which": ("1", "1", "0", "0"),
        "toy.toy.full.questions": ("1", "1", "0", "0"),
    }
    assert list(root.iter("failure")) == []
    assert [(one.get("type"), one.get("message"), one.text) for one in root.iter("skipped")] == [
        ("incorrect", "incorrect: answer B, right is A", "the last letter"),
        ("missing", "missing: no answer, right is A", "nothing came"),
        ("unread", "unread: no answer, right is A", "stated"),
    ]
    assert next(root.iter("testcase")).get("name") == "item 0, question what (domain shape)"


@pytest.mark.parametrize(("value", "failures"), [(0.25, 1), (0.5, 0), (0.75, 0), (None, 1)])
def test_a_build_fails_by_the_threshold_alone(value: float | None, failures: int) -> None:
    headline = replace(REPORT.headline, name="shade", value=value)
    document = report_junit(replace(report(result(0, "what", "incorrect")), headline=headline), fail_under=0.5)
    suite = ET.fromstring(document)[-1]  # noqa: S314 -- our own
    assert suite.get("name") == "toy.toy.full.score"
    assert (suite.get("tests"), suite.get("failures")) == ("1", str(failures))
    (case,) = suite.iter("testcase")
    assert case.get("name") == "shade is 50.0% or more"
    shown = "-" if value is None else "25.0%"
    told = [one.get("message") for one in case.iter("failure")]
    assert told == [f"shade is {shown}, below 50.0%"][:failures]


ATTRIBUTES = {
    "testsuites": set(),
    "testsuite": {
        *("name", "package", "id", "timestamp", "hostname"),
        *("tests", "failures", "errors", "skipped", "time"),
    },
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
    "system-err": set(),
}
CHILDREN = {
    "testsuites": "(testsuite )*",
    "testsuite": "properties (testcase )*system-out system-err ",
    "properties": "(property )*",
    "testcase": "(failure |skipped )?",
}


def test_elements_and_attributes_are_those_of_the_schemas_in_their_order() -> None:
    """The rules of windyroad's JUnit.xsd and Jenkins' junit-10.xsd that both share, by hand."""
    document = report_junit(report(result(0, "what"), result(1, "how", "incorrect")), fail_under=1.0)
    for element in ET.fromstring(document).iter():  # noqa: S314 -- our own
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        assert re.fullmatch(CHILDREN.get(element.tag, ""), "".join(f"{child.tag} " for child in element))
        if element.tag == "testsuite":
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.attrib["timestamp"])
            assert all(element.attrib[name].isdecimal() for name in ("id", "tests", "failures", "errors", "skipped"))


def test_characters_that_xml_has_no_place_for_are_replaced() -> None:
    hostile = "A\x00\x08\x1b[31m\ufffe \U0001f600 <b>&]]>"
    document = report_junit(report(result(0, "what", "incorrect", answer=hostile, reason=hostile)))
    skipped = next(ET.fromstring(document).iter("skipped"))  # noqa: S314 -- our own
    assert skipped.text == "A\ufffd\ufffd\ufffd[31m\ufffd \U0001f600 <b>&]]>"


def test_overall_values_that_are_no_shares_are_properties_in_their_unit() -> None:
    gap = replace(REPORT.headline, name="gap", value=-0.125, unit=DIFFERENCE)
    of_group = replace(gap, facets={"domain": "color"})
    without = replace(gap, name="side", value=None)
    made = replace(report(result(0, "what")), metrics=[REPORT.headline, gap, of_group, without])
    suite = ET.fromstring(report_junit(made))[0]  # noqa: S314 -- our own
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert properties.keys() == {"submission", "conversation", REPORT.headline.name, "gap", "seed", "commitment"}
    assert properties["gap"] == "-12.5 pp"
