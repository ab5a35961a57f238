"""Words, pictures, keys and details of the questions."""

import re
from collections import Counter
from functools import cache
from itertools import combinations

import msgspec
import pytest

from generator_service.benchmarks.marvel import BENCHMARK
from generator_service.benchmarks.marvel.card import CARD
from generator_service.benchmarks.marvel.details import truths
from generator_service.benchmarks.marvel.explanation import LAWS, SUBJECTS, describe, reason
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.pictures import Sheet, Single, contents
from generator_service.benchmarks.marvel.question import questions
from generator_service.benchmarks.marvel.rules.families import FAMILIES
from generator_service.benchmarks.marvel.sampler import demonstrations_for, is_same
from generator_service.benchmarks.marvel.spec import (
    CHOICES,
    FEW_SHOT,
    FINE_KINDS,
    GEOMETRIC,
    MIXED,
    OTHER_PATTERN,
    REASSEMBLING,
    SAME_PATTERN,
    SEQUENCE,
    SETTINGS,
    SOLID,
    VARIANTS,
    Look,
    Panel,
    Puzzle,
    Scene,
    panels_in_context,
)
from generator_service.parameters import IdentityError, resolve
from tests.benchmarks.marvel.items import DEFAULTS, puzzle, scenes
from tetrad.contracts.wire import ParameterValue
from tetrad.streams import Stream


@cache
def full_scenes() -> list[Scene]:
    return list(scenes("full", DEFAULTS, 3))


def test_five_questions_are_open_at_once_and_only_the_full_setting_asks_more_than_the_puzzle() -> None:
    for setting in SETTINGS:
        for scene in scenes(setting, {}):
            asked = [keyed.question.id for keyed in questions(scene)]
            wanted = ["context-panels", "choice-panels", "all-panels", "detail", "puzzle"]
            assert asked == (wanted if setting == "full" else ["puzzle"])
            assert list(BENCHMARK.next_questions(scene, {})) == asked


def test_counts_are_those_of_the_configuration_and_are_asked_on_a_sheet_without_labels() -> None:
    for scene in full_scenes():
        context, choices, every = questions(scene)[:3]
        count = panels_in_context(scene.puzzle)
        assert [one.key.label for one in (context, choices, every)] == [str(n) for n in (count, 4, count + 4)]
        for one in (context, choices, every):
            [picture] = one.question.pictures
            held = contents(scene)[picture.name]
            assert isinstance(held, Sheet)
            assert held.labels == ()


def test_all_five_kinds_of_detail_are_asked_and_either_answer_is_as_often_right() -> None:
    fine = [scene.fine for scene in scenes("full", {}, 12) if scene.fine]
    kinds = Counter(one.kind for one in fine)
    assert set(kinds) == set(FINE_KINDS)
    assert min(kinds.values()) > 0.06 * len(fine)
    assert sum(one.right for one in fine) == pytest.approx(len(fine) / 2, abs=3 * len(fine) ** 0.5 / 2)


def test_a_detail_is_true_of_the_choice_it_asks_about() -> None:
    for scene in full_scenes():
        assert scene.fine is not None
        right = scene.fine.answers[scene.fine.right]
        assert truths(scene.puzzle, scene.variant)[scene.fine.text] == right
        assert scene.fine.answers[0] != scene.fine.answers[1]
        assert all(answer in scene.fine.text for answer in scene.fine.answers)
        assert "{" not in scene.fine.text


def test_whoever_sees_only_the_words_of_a_detail_has_even_odds() -> None:
    """A detail that varies is asked with the values of two choices: swapped, it is as likely."""
    for scene in full_scenes():
        for text, right in truths(scene.puzzle, "plain").items():
            if "{" in text or not re.search(r"choices? \d", text):
                pytest.fail(text)
            assert right in text


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_show_the_same_puzzle_another_way(variant: str) -> None:
    for scene in scenes("full", {"variant": variant}):
        which = questions(scene)[-1]
        labels = [option.label for option in which.question.options]
        assert labels == (["A", "B", "C", "D"] if variant == "letters" else ["1", "2", "3", "4"])
        assert labels.index(which.key.label) == scene.puzzle.key
        held = [contents(scene)[picture.name] for picture in which.question.pictures]
        if variant == "panel-by-panel":
            assert [one.panel for one in held if isinstance(one, Single)] == [
                *scene.puzzle.context,
                *scene.puzzle.choices,
            ]
            assert all(option.picture for option in which.question.options)
        else:
            [sheet] = held
            assert isinstance(sheet, Sheet)
            assert list(sheet.labels) == labels
            assert sheet.marked is (variant == "question-mark")


def test_descriptions_tell_every_panel_and_the_choices_apart() -> None:
    for scene in scenes("described", {}, 3):
        [which] = questions(scene)
        lines = which.question.text.splitlines()
        choices = [line for line in lines if line.startswith("Choice ")]
        assert len(choices) == CHOICES
        assert len({line.split(": ", 1)[1] for line in choices}) == CHOICES
        context = [line for line in lines if line.startswith(("Context panel", "Laid out"))]
        assert len(context) == len(scene.puzzle.context)
        assert all(line.endswith(".") and "{" not in line and "  " not in line for line in lines[2:])


@pytest.mark.parametrize("kind", [SAME_PATTERN, OTHER_PATTERN, MIXED])
@pytest.mark.parametrize("shots", [1, 2])
def test_examples_come_from_the_public_pool_as_asked(kind: str, shots: int) -> None:
    for scene in scenes("few-shot", {"shots": shots, "demonstrations": kind}):
        assert len(scene.demonstrations) == shots
        assert _is_as_asked(scene, kind)
        [which] = questions(scene)
        assert len(which.question.pictures) == shots + 1
        assert which.question.text.count("The answer is (") == shots


@pytest.mark.parametrize("given", [{"shots": 2}, {"demonstrations": OTHER_PATTERN}, {"demonstrations": MIXED}])
def test_examples_are_asked_for_only_where_some_are_shown(given: dict[str, ParameterValue]) -> None:
    assert resolve(CARD, "marvel", FEW_SHOT, given)
    for setting in set(SETTINGS) - {FEW_SHOT}:
        with pytest.raises(IdentityError) as refused:
            resolve(CARD, "marvel", setting, given)
        [fault] = refused.value.faults
        assert fault.field == f"parameters.{next(iter(given))}"
        assert FEW_SHOT in fault.remedy


@pytest.mark.parametrize("shots", [1, 2])
def test_an_example_is_never_the_item_itself_nor_another_again(shots: int) -> None:
    """A pool half of which is the item in another look, its choices in another order."""
    [item, *_] = (scene.puzzle for scene in scenes("avr-only", {}) if scene.puzzle.configuration == SEQUENCE)
    look = msgspec.structs.replace(item.look, seed=1)
    twin = msgspec.structs.replace(item, look=look, choices=item.choices[::-1], key=3 - item.key)
    numbers = iter(range(1000))

    def draw(pattern: str, configuration: str, shape: str, stream: Stream) -> Puzzle:
        del stream
        number = next(numbers)
        return twin if number % 2 == 0 else puzzle(pattern, configuration, shape, number // 4)

    for place in range(6):
        given: dict[str, ParameterValue] = {"shots": shots, "demonstrations": SAME_PATTERN}
        shown = demonstrations_for(item, given, Stream("tests/marvel/pool", shots, place), draw)
        assert len(shown) == shots
        assert twin not in shown
        assert not any(is_same(a, b) for a, b in combinations((item, *shown), 2))


def test_words_say_what_stands_where_a_panel_is_missing() -> None:
    for variant in VARIANTS:
        for scene in scenes("full", {"variant": variant}):
            *_, which = questions(scene)
            counts = " ".join(keyed.question.text for keyed in questions(scene)[:3])
            text, marked = which.question.text, variant == "question-mark"
            net, apart = scene.puzzle.pattern == SOLID, variant == "panel-by-panel"
            assert ("question mark" in text) is ("question mark" in counts) is (marked and not net)
            assert (" blank" in text) is not (marked or net or apart)
            assert ("blank" in counts) is not marked or net
            assert not {"{", "}"} & {*text, *counts}


def test_other_words_ask_for_the_same() -> None:
    for plain, other in zip(scenes("full", {}), scenes("full", {"variant": "reworded"}), strict=True):
        for one, two in zip(questions(plain), questions(other), strict=True):
            assert one.key == two.key
            assert one.question.pictures == two.question.pictures
            counts = one.question.kind not in {"detail", "puzzle"}
            assert (one.question.text == two.question.text) is counts


def test_words_name_the_solid_that_is_laid_out() -> None:
    drawn = [puzzle(SOLID, REASSEMBLING, GEOMETRIC, number) for number in range(40)]
    assert {one.form for one in drawn} == {"cube", "tetrahedron", "octahedron"}
    for one in drawn:
        for variant in VARIANTS:
            [which] = questions(Scene(item="0", setting="avr-only", variant=variant, puzzle=one))
            named = {name for name in ("cube", "tetrahedr", "octahedr") if name in which.question.text}
            assert named == {one.form.removesuffix("on")}


def test_a_number_in_a_detail_is_a_number_word() -> None:
    asked = [scene.fine for scene in scenes("full", {}, 12) if scene.fine and scene.fine.kind == "quantity"]
    assert len(asked) > 50
    assert any("zero" in one.answers for one in asked)
    assert not any("no" in one.answers or re.search(r"\bno\b", one.text) for one in asked)


def _is_as_asked(scene: Scene, kind: str) -> bool:
    shown = scene.demonstrations
    same = all(one.pattern == scene.puzzle.pattern for one in shown)
    if any(one.pattern == SOLID for one in shown):
        return all(one.configuration == REASSEMBLING for one in shown)
    if kind == MIXED:
        return same and [one.configuration for one in shown] == ["two-row", SEQUENCE][: len(shown)]
    return same is (kind == SAME_PATTERN) and all(one.configuration == SEQUENCE for one in shown)


def test_every_key_has_a_reason_in_words() -> None:
    for scene in full_scenes():
        sentence, data = describe(scene)
        assert reason(scene.puzzle)[:-1] in sentence
        assert f"({scene.puzzle.key + 1})" in sentence
        assert data["item"] == scene.item


def test_reasons_name_what_every_family_governs_as_a_viewer_would() -> None:
    governed = {(family.form, field) for family in FAMILIES for field in family.governs}
    assert set(SUBJECTS) == governed
    assert set(LAWS) >= {law for family in FAMILIES for laws in family.laws.values() for law in laws}
    for scene in full_scenes():
        words = reason(scene.puzzle)
        assert words[0].isupper()
        assert not re.search(r"\b(mask|gap|class|long|open|white) (is|goes|moves|takes)\b", words), words


@pytest.mark.parametrize(
    ("form", "value", "words"),
    [
        ("parallel", 6, "Six straight lines; all six point the same way."),
        ("parallel", 5, "Six straight lines; five of them point the same way, the other one another way."),
        ("curved sides", 0, "A six-sided regular outline; no side bent, all six straight."),
        ("curved sides", 6, "A six-sided regular outline; all six sides bent inwards in a curve."),
        ("curved sides", 5, "A six-sided regular outline; five sides bent inwards in a curve, the other straight."),
        ("scatter", 1, "One white star."),
    ],
)
def test_panels_in_words_say_one_thing_only(form: str, value: int, words: str) -> None:
    look = Look(shape=GEOMETRIC, sorts=("star",), seeds=(1,), fills=(0, 0, 0), ground=0, seed=1)
    assert FORMS[form].describe(look, Panel((value,), 3)) == words


def test_a_figure_that_stands_alone_is_not_called_the_larger_one() -> None:
    asked = {one.fine.text for one in scenes("full", {}, 12) if one.puzzle.form == "pointer" and one.fine}
    assert any("Is the block figure in choice" in text for text in asked)
    assert not any("larger figure" in text for text in asked)
