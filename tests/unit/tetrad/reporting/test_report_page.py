"""A report as a page: its figures are the report's own, and its file asks nothing from anywhere."""

import base64
import hashlib
import re

from msgspec.structs import replace

from generator_service.benchmarks.kiva.card import CARD
from tests.unit.tetrad.client.test_verbs import REPORT
from tests.unit.tetrad.reporting.test_tables import result
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Choice, ChoiceKey, Option, Picture, Question
from tetrad.contracts.reports import IntervalValue, QuestionResult, Report
from tetrad.contracts.submissions import RevealedItem, RevealedQuestion
from tetrad.reporting.pages.report import WrongAnswer, report_view, wrong_answers
from tetrad.reporting.pages.report_file import picture_addresses, report_file, wanted_questions

HOSTILE = '</pre><script>alert(1)</script><img src="https://elsewhere.example/x.png">'


def kiva_report(*results: QuestionResult) -> Report:
    identity = replace(REPORT.identity, benchmark="kiva", track="kiva", setting="full")
    headline = replace(REPORT.headline, name="extrapolation")
    at = "2026-11-21T03:17:00.123Z"
    return replace(
        REPORT, identity=identity, headline=headline, metrics=[headline], questions=list(results), scored_at=at
    )


def staged(item: int, what: str, how: str | None, which: str, mistake: str = "") -> list[QuestionResult]:
    """Return the results of one trial, as far as its questions were asked."""
    facets = {"change": "yes", "domain": "size"}
    asked = [("what", "classification", what), ("how", "specification", how), ("which", "extrapolation", which)]
    return [
        result(
            item,
            question,
            verdict,
            facets={"stage": stage, **facets},
            outcome={"mistake": mistake} if verdict == "incorrect" and mistake else {},
        )
        for question, stage, verdict in asked
        if verdict is not None
    ]


TRIALS = [
    *staged(0, "correct", "correct", "correct"),
    *staged(1, "correct", "incorrect", "incorrect", "other value"),
    *staged(2, "incorrect", None, "incorrect", "nothing changed"),
    *staged(3, "unread", None, "correct"),
]


def test_figures_of_a_small_group_have_no_decimals() -> None:
    bounds = IntervalValue(lower=0.0968, upper=0.7, level=0.95, method="wilson")
    headline = kiva_report().headline
    few, many = (replace(headline, value=1 / 3, items=items, interval=bounds) for items in (6, 600))
    [table] = report_view(replace(kiva_report(*TRIALS), metrics=[few, many]), None).main
    shown = [(row.value, row.interval) for row in table.rows]
    assert (table.is_in_percent, shown) == (True, [("33", "10 \N{EN DASH} 70"), ("33.3", "9.7 \N{EN DASH} 70.0")])


def test_the_funnel_counts_the_trials_of_the_headline_stage_by_stage() -> None:
    unchanged = result(4, "which", "incorrect", facets={"stage": "extrapolation", "change": "no"})
    view = report_view(kiva_report(*TRIALS, unchanged), CARD)
    assert view.funnel_trials == 4, "a trial without a change counts for another metric"
    assert [(row.label, row.right, row.share) for row in view.funnel] == [
        ("What", "2 of 4", "50.0"),
        ("How", "1 of 2", "50.0"),
        ("Which", "2 of 4", "50.0"),
    ]
    assert "1 right, 1 wrong or unread, 2 not asked" in view.funnel[1].bar
    split = "after right answers: 1 of 1 (100%) · after a wrong one: 1 of 3 (33%)"
    assert [row.split for row in view.funnel] == ["", "", split]
    assert view.funnel[2].bar.count("<rect") == 5


def test_of_many_mistakes_the_most_frequent_have_a_fill_of_their_own_and_the_others_share_the_last() -> None:
    names = [name for rank, name in enumerate("abcdefg") for _ in range(9 - rank)]
    trials = [
        found for item, name in enumerate(names) for found in staged(item, "correct", "correct", "incorrect", name)
    ]
    table = report_view(kiva_report(*trials), CARD).mistakes
    assert [name for name, _ in table.key] == ["a", "b", "c", "d", "3 further names"]
    assert len({fill for _, fill in table.key}) == 5
    (row,) = table.rows
    assert row.shares == (("a", "21%"), ("b", "19%"), ("c", "17%"), ("d", "14%"), ("3 further names", "29%"))


def test_mistakes_are_shares_of_the_wrong_answers_of_their_stage() -> None:
    table = report_view(kiva_report(*TRIALS), CARD).mistakes
    shares = {row.label: (row.wrong, row.shares) for row in table.rows}
    assert shares["Extrapolation"] == ("2", (("other value", "50%"), ("nothing changed", "50%")))
    assert shares["Classification"] == ("1", (("nothing changed", "100%"),))


def shown_answer(said: str, answer: str | None, stop: StopKind | None = None) -> WrongAnswer:
    verdict = "unread" if answer is None else "incorrect"
    asked = replace(revealed(1).questions[0], response=said, answer=answer, verdict=verdict)
    place = (1, "which")
    item = replace(revealed(1), questions=[asked])
    [shown] = wrong_answers([item], {place}, picture={}, address={}, card=CARD, stops={place: stop})
    return shown


def test_the_words_that_decided_are_marked_where_they_stand_last() -> None:
    shown = shown_answer(f"First I thought B.\n{HOSTILE} The answer is (B).", "B")
    assert shown.reply == (f"First I thought B.\n{HOSTILE} The ", "answer is (B)", ".")


def test_an_unread_reply_says_why_and_a_long_one_keeps_its_ends() -> None:
    said = "begin " + "I look at it. " * 900 + " end"
    shown = shown_answer(said, None)
    assert shown.verdict == "extracted nothing · key (A) · unread: it names no option"
    assert (shown.reply[0][:5], shown.reply[0][-3:], shown.reply[1:]) == ("begin", "end", ("", ""))
    assert "[… 8,610 characters …]" in shown.reply[0]
    assert shown_answer("(B)", None, "refused").verdict.endswith("unread: it was refused")


def test_a_report_whose_card_is_gone_can_be_shown() -> None:
    view = report_view(kiva_report(*TRIALS), None)
    assert (view.benchmark, view.funnel) == ("kiva", ())


def revealed(item: int) -> RevealedItem:
    picture = Picture(name="1", caption="Example pair", url=f"/v1/items/{item}/images/1")
    question = Question(
        id="which",
        kind="which",
        text="Which?",
        shape=Choice(labels=("A", "B")),
        options=(Option(label="A", text="one"), Option(label="B", text=HOSTILE)),
        pictures=(picture,),
    )
    asked = RevealedQuestion(
        question=question,
        key=ChoiceKey(label="A", outcomes={"B": "other value"}),
        facets={"domain": "size"},
        verdict="incorrect",
        answer="B",
        response=HOSTILE,
    )
    return RevealedItem(item=item, practice_id="itm_x", questions=[asked])


def test_a_file_runs_its_own_script_alone_and_shows_pictures_as_data() -> None:
    report = kiva_report(*TRIALS)
    items = [revealed(item) for item in (1, 2)]
    wanted = wanted_questions(report)
    assert picture_addresses(items, wanted) == ["/v1/items/1/images/1", "/v1/items/2/images/1"]
    page = report_file(report, CARD, items, {"/v1/items/1/images/1": b"png"}, model="a-model", team="a-team")
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    for tag in ("style", "script"):
        [inside] = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy
    assert "unsafe" not in policy
    assert page.count("<script") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert f"data:image/png;base64,{base64.b64encode(b'png').decode()}" in page
    assert not re.search(r'(?:src|href)="https?:', page)
    assert "extracted (B) · key (A) · wrong: other value" in page
