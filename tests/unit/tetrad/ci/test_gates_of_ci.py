"""Gates on measured answers: what they decide, what they say, and what is written of it."""

import re
import xml.etree.ElementTree as ET  # what is read here was written here
from collections.abc import Sequence
from html.parser import HTMLParser

import msgspec
import pytest

from tetrad.ci.applying import GateError, apply_gates
from tetrad.ci.cases import gate_cases
from tetrad.ci.measured import Group, Measured, Place, together
from tetrad.ci.page import html_page
from tetrad.ci.result import CiResult, GateResult, ModelResult, Thresholds, overall
from tetrad.ci.summary import summary_markdown
from tetrad.contracts.items import DrawIdentity
from tetrad.reporting.pages.pictures import ShownPicture
from tetrad.reporting.pages.report import AnsweredOption, WrongAnswer
from tetrad.reporting.pages.words import MINUS
from tetrad.runner.recording import RunCosts
from tetrad.statistics.deciding import sample_interval

IDENTITY = DrawIdentity(benchmark="toy", version=1, bank="d", track="toy", setting="brief", parameters={"tint": 5})
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR4nGNsYGBiYAAAApIAhPd8o1gAAAAASUVORK5CYII="
PICTURE = f"data:image/png;base64,{PNG}"
HOSTILE = '<script>alert("x")</script>|`'


def measured(scores: Sequence[float], model: str = "mine", draw: str = "sub_1", **given: object) -> Measured:
    made = Measured(
        model=model,
        submissions=(draw,),
        sealed=True,
        scores={Place(submission=draw, item=item): score for item, score in enumerate(scores)},
        groups=(),
        asked=len(scores),
        unread=0,
        missing=0,
        wrong=(),
    )
    return msgspec.structs.replace(made, **given)


def only(gates: tuple[GateResult, ...]) -> GateResult:
    (gate,) = gates
    return gate


def right(count: int, of: int) -> list[float]:
    return [1.0] * count + [0.0] * (of - count)


@pytest.mark.parametrize(("count", "outcome"), [(210, "pass"), (150, "fail"), (178, "undecided")])
def test_a_least_accuracy_passes_fails_or_could_not_tell(count: int, outcome: str) -> None:
    gate = only(apply_gates(Thresholds(least_accuracy=0.7), measured(right(count, 250)), None, pairing=None))
    assert gate.outcome == outcome
    assert "of 250 items" in gate.why
    assert ("items would tell" in gate.why) == (outcome == "undecided")


def test_a_drop_prints_items_discordance_margin_and_bounds() -> None:
    gate = only(
        apply_gates(
            Thresholds(allow_drop=0.05),
            measured([1.0] * 22 + [0.0] * 28 + [1.0] * 200),
            measured([0.0] * 22 + [1.0] * 28 + [1.0] * 200, model="old"),
            pairing="fresh",
        )
    )
    assert gate.asks == "at most 5 points worse than old"
    assert gate.outcome == "undecided"
    for part in (
        "-2.4 points on 250 shared items",
        "only the candidate right on 22, only the baseline on 28",
        "discordance 20.0%",
        "bounds -",
        "p = 0.48",
    ):
        assert part in gate.why
    assert gate.numbers["margin"] == 0.05
    assert gate.numbers["items"] == 250
    assert gate.numbers["items_needed_as_seen"] > gate.numbers["items_needed_if_equal"] > 200  # type: ignore[operator]


def test_only_shared_items_are_paired() -> None:
    candidate, baseline = measured(right(5, 10)), measured(right(8, 10), draw="sub_2")
    with pytest.raises(GateError, match="no item in common"):
        apply_gates(Thresholds(allow_drop=0.05), candidate, baseline, pairing="fresh")
    gate = only(apply_gates(Thresholds(allow_drop=0.05), candidate, baseline, pairing="no"))
    assert "10 and 10 different items" in gate.why


def test_a_sequential_gate_says_its_evidence() -> None:
    gates = apply_gates(
        Thresholds(allow_drop=0.05, least_accuracy=0.5),
        measured([1.0] * 100),
        measured([0.0] * 40 + [1.0] * 60, model="old"),
        pairing="fresh",
        sequential=True,
    )
    assert [gate.outcome for gate in gates] == ["pass", "pass"]
    assert all("to 1, where 20 decides" in gate.why for gate in gates)


def test_answers_of_replies_that_are_not_complete_count_as_unread_at_the_gate() -> None:
    """All replies end for a reason in no table, such as `sensitive`: none of them was surely whole."""
    gate = only(
        apply_gates(Thresholds(most_unread=0.5), measured(right(9, 10), incomplete=9, unread=1), None, pairing=None)
    )
    assert (gate.outcome, gate.numbers["share"], gate.numbers["incomplete"]) == ("fail", 1.0, 9)
    assert "1 of 10 replies could not be read, and 9 are not complete (100.0%)" in gate.why
    assert together([measured([1.0], incomplete=1), measured([1.0], draw="sub_2", incomplete=1)]).incomplete == 2


def test_unread_cost_and_time_are_counted() -> None:
    own = measured(right(5, 10), unread=2, costs=RunCosts(cost=1_500_000), minutes=3.2)
    asked = Thresholds(most_unread=0.1, most_cost=2_000_000, most_minutes=3)
    gates = {gate.name: gate for gate in apply_gates(asked, own, None, pairing=None)}
    assert {name: gate.outcome for name, gate in gates.items()} == {
        "most-unread": "fail",
        "most-cost": "pass",
        "most-minutes": "fail",
    }
    assert gates["most-unread"].why == "2 of 10 replies (20.0%) could not be read"
    assert overall(tuple(gates.values())) == "fail"
    with pytest.raises(GateError, match="--price"):
        apply_gates(Thresholds(most_cost=1), measured([1.0]), None, pairing=None)


def test_a_fail_goes_before_could_not_tell_and_that_before_a_pass() -> None:
    def gate(outcome: str) -> GateResult:
        return msgspec.convert({"name": "n", "asks": "a", "outcome": outcome, "why": "w"}, GateResult)

    assert overall((gate("pass"), gate("undecided"))) == "undecided"
    assert overall((gate("undecided"), gate("fail"))) == "fail"
    assert overall((gate("pass"),)) == "pass"


def test_draws_are_taken_together() -> None:
    both = together([measured([1.0, 0.0]), measured([1.0], draw="sub_2", unread=1)])
    assert both.submissions == ("sub_1", "sub_2")
    assert (both.sample.count, both.unread) == (3, 1)
    assert both.sample.mean == pytest.approx(2 / 3)


def result(gates: tuple[GateResult, ...]) -> CiResult:
    sample = measured(right(6, 10)).sample
    model = ModelResult(
        model=HOSTILE,
        submissions=("sub_1",),
        sealed=True,
        score=sample.mean,
        interval=sample_interval(sample),
        items=10,
        asked=10,
        unread=0,
        missing=0,
        groups=tuple(
            Group(name=name, score=0.5, interval=sample_interval(sample), items=5) for name in ("shade dark", "b")
        ),
        minutes=1.0,
    )
    return CiResult(
        outcome=overall(gates),
        metric="accuracy",
        identity=IDENTITY,
        conversation="fresh",
        pairing=None,
        why_paired="",
        sequential=False,
        gates=gates,
        candidate=model,
        baseline=None,
        uniform_chance=0.25,
        at="2026-11-23T09:00:00Z",
        tetrad="0.1.0",
    )


def three() -> tuple[GateResult, ...]:
    own = measured(right(178, 250), unread=2)
    return apply_gates(Thresholds(least_accuracy=0.7, most_unread=0.0), own, None, pairing=None)


def test_junit_has_one_case_a_gate_and_could_not_tell_is_an_error() -> None:
    root = ET.fromstring(gate_cases(result(three())))  # noqa: S314 -- our own
    (suite,) = root
    assert {name: suite.attrib[name] for name in ("tests", "failures", "errors")} == {
        "tests": "2",
        "failures": "1",
        "errors": "1",
    }
    cases = suite.findall("testcase")
    assert [case.attrib["name"].split(":")[0] for case in cases] == ["least-accuracy", "most-unread"]
    assert "items would tell" in cases[0].find("error").attrib["message"]  # type: ignore[union-attr]


class Tags(HTMLParser):
    """Collects tags and what they refer to."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name == "src"]


def wrong_answer() -> WrongAnswer:
    return WrongAnswer(
        item=3,
        address="",
        question=HOSTILE,
        facets=HOSTILE,
        pictures=(ShownPicture(src=PICTURE, caption=HOSTILE, width=520, height=256),),
        options=(AnsweredOption(label="A", text=HOSTILE, picture=None, state="key"),),
        reply=(HOSTILE * 9, HOSTILE, HOSTILE),
        verdict="extracted nothing · key (A) · unread",
    )


def test_the_page_fetches_nothing_runs_its_own_script_alone_and_escapes_what_strangers_wrote() -> None:
    text = html_page(result(three()), [wrong_answer()])
    page = Tags()
    page.feed(text)
    assert page.tags.count("script") == 1
    assert "script-src &#39;sha256-" in text
    assert page.sources == [PICTURE]
    assert page.tags.count("button") == 2, "the picture enlarges, and what is enlarged is closed"
    assert "url(" not in text
    assert "could not tell" in text


def test_the_page_shows_what_was_seen_beside_what_was_asked() -> None:
    candidate = measured([1.0] * 22 + [0.0] * 28 + [1.0] * 200)
    baseline = measured([0.0] * 22 + [1.0] * 28 + [1.0] * 200, model="old")
    gates = apply_gates(Thresholds(least_accuracy=0.7, allow_drop=0.05), candidate, baseline, pairing="fresh")
    text = html_page(result(gates), [])
    assert '<line class="ch" x1="70%" x2="70%"' in text
    seen = re.findall('aria-label="seen, bounds, asked: ([^"]*)"', text)
    assert [figures.replace(MINUS, "-") for figures in seen] == ["88.8, 85.0 to 91.9, 70.0", "-2.4, -7.3 to +2.7, -5.0"]
    assert "Of 2 gates, 1 could not tell." in text


def test_the_summary_is_short_and_its_cells_hold_no_bar() -> None:
    text = summary_markdown(result(three()))
    assert text.startswith("## ❌ toy: fail\n")
    assert len(text.splitlines()) < 20
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") in {4, 7}
