"""What is asked: the whole program is needed, options are parallel, words tell nothing of the edit."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pytest

from generator_service.benchmark import Streams
from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.asked import asked_of
from generator_service.benchmarks.visanalog.composing import called_alike, compose
from generator_service.benchmarks.visanalog.facts import option_values, partners
from generator_service.benchmarks.visanalog.families import BY_NAME, Family, families_of, family_name
from generator_service.benchmarks.visanalog.grids import group_programs
from generator_service.benchmarks.visanalog.knowledge import LEAST_SLIPS, PARTS, count_mistakes, shares_left
from generator_service.benchmarks.visanalog.pictures import list_seen
from generator_service.benchmarks.visanalog.programs import INDEX, MISTAKES, PROGRAMS, programs_of
from generator_service.benchmarks.visanalog.sampler import Compose, _picture, _question, _scene
from generator_service.benchmarks.visanalog.scenes import families as of_scenes
from generator_service.benchmarks.visanalog.solver import _holds_all
from generator_service.benchmarks.visanalog.spec import (
    ABSENT,
    AMBIGUOUS,
    COLOUR,
    COMPOSED,
    END_TO_END,
    FACES,
    FACING,
    FACTS,
    HANDS,
    LADDER,
    LOOKS,
    NAMING,
    ORACLE,
    PERSON_LOOK,
    READING,
    RUNGS,
    SCENES,
    WRONG_IMAGE,
    Scene,
    Thing,
)
from generator_service.proving.cases import view_of
from tests.benchmarks.visanalog.items import BANK, DRAWN, items, many, things_of
from tetrad.contracts.items import ChoiceKey
from tetrad.streams import Stream, StreamFamily

STEPS = (1, 2, 3, 4, 5)
FAMILIES: Mapping[str, Callable[[int], set[str]]] = {
    COMPOSED: lambda steps: set(map(family_name, families_of(steps))),
    SCENES: lambda steps: set(of_scenes.families_of(steps)),
}
"""By track: the names of the families that ask for programs of so many steps."""
EDITS = re.compile(
    r"\b(turn\w*|rotat\w+|flip\w*|zoom\w*|swap\w*|exchang\w+|hue\w*|shift\w*|becom\w+|after|before|now|chang\w+|edit\w*|"
    r"transform\w*|crop\w*|image|[CD])\b"
)


def drawing(track: str, name: str) -> tuple[Compose, Family]:
    """Return what draws pictures of a track, and the family of this name."""
    return (_scene, of_scenes.BY_NAME[name]) if track == SCENES else (partial(_picture, BANK), BY_NAME[name])


def option_holds(scene: Scene, place: int, program: int) -> bool:
    """Tell whether an option holds of C under a program, by the independent solver's eyes."""
    said = asked_of(scene)
    return _holds_all(said.question, said.options[place], list_seen(things_of(scene.query), program))


@pytest.mark.parametrize("track", DRAWN)
@pytest.mark.parametrize("steps", STEPS)
def test_the_right_option_holds_and_no_other_does(track: str, steps: int) -> None:
    for scene in many(track, steps):
        assert len(PROGRAMS[scene.program].steps) == steps
        assert [option_holds(scene, place, scene.program) for place in range(4)] == [
            place == scene.right for place in range(4)
        ]


@pytest.mark.parametrize("track", DRAWN)
@pytest.mark.parametrize("steps", STEPS)
def test_leaving_out_any_one_step_or_all_makes_the_right_option_false(track: str, steps: int) -> None:
    for scene in many(track, steps):
        program = PROGRAMS[scene.program]
        for step in program.steps:
            assert not option_holds(scene, scene.right, INDEX[program.without(step).effect])
        assert not option_holds(scene, scene.right, 0)


@pytest.mark.parametrize("track", DRAWN)
@pytest.mark.parametrize("steps", STEPS)
def test_each_option_is_right_under_a_program_of_as_many_steps_or_of_none(track: str, steps: int) -> None:
    for scene in many(track, steps):
        known = group_programs(option_values(things_of(scene.query), scene.facts), steps)
        own = tuple(option_values(things_of(scene.query), scene.facts)[0].tolist())
        assert [option for option in scene.options if option not in known] == ([own] if steps == 1 else [])


@pytest.mark.parametrize("track", DRAWN)
@pytest.mark.parametrize("steps", [2, 3, 4, 5])
def test_two_facts_make_a_grid_of_two_values_each(track: str, steps: int) -> None:
    """A look counts as two: what it says of a pose, and of a color. Any two of the three values tell the option."""
    for scene in many(track, steps):
        if scene.facts[1].kind in LOOKS:
            parts = [(value, look % 8, look // 8) for value, look in scene.options]
            assert [sorted(Counter(part).values()) for part in zip(*parts, strict=True)] == [[2, 2]] * 3
            assert all(len({part[:at] + part[at + 1 :] for part in parts}) == 4 for at in range(3))
            continue
        columns = [Counter(option[place] for option in scene.options) for place in range(2)]
        assert [sorted(column.values()) for column in columns] == [[2, 2], [2, 2]]
        for fact, column in zip(scene.facts, columns, strict=True):
            one, other = column
            assert fact.kind in NAMING or other in partners(fact.kind, one)
            assert fact.kind in NAMING or one in partners(fact.kind, other)


@pytest.mark.parametrize("track", DRAWN)
@pytest.mark.parametrize("steps", [2, 3, 4, 5])
def test_who_knows_one_part_of_the_program_is_left_with_two_options_or_more(track: str, steps: int) -> None:
    """Zoom and swap are one part, rotation and flip another; of five steps the first may tell."""
    for scene in many(track, steps):
        for part in sorted({*PARTS} - ({"layout"} if steps == 5 else set())):
            assert sum(share > 0 for share in shares_left(scene, part)) >= 2, part


@pytest.mark.parametrize("track", DRAWN)
def test_as_many_wrong_options_are_slips_as_the_readme_says(track: str) -> None:
    """A step left out, or two exchanged; drawn plainly, fewer would be."""
    for steps, least in LEAST_SLIPS.items():
        counts = count_mistakes(many(track, int(steps)))[steps]
        assert 1 - counts["other"] / counts.total() > least


@pytest.mark.parametrize("track", DRAWN)
def test_no_thing_is_spoken_of_in_both_facts(track: str) -> None:
    """Where it lies would tell on which side of another it is."""
    for scene in (scene for steps in (2, 3, 4) for scene in many(track, steps)):
        spoken = [
            {option[place] for option in scene.options} if fact.kind in NAMING else {*fact.things}
            for place, fact in enumerate(scene.facts)
            if fact.kind not in {COLOUR, *LOOKS, READING, HANDS, FACING, FACES}
        ]
        assert not set.intersection(*spoken) if len(spoken) > 1 else True


@pytest.mark.parametrize("track", DRAWN)
def test_every_kind_of_fact_and_every_family_is_asked(track: str) -> None:
    scenes = [scene for steps in STEPS for scene in many(track, steps)]
    of_people = {FACES, PERSON_LOOK} if track == COMPOSED else set()
    assert {fact.kind for scene in scenes for fact in scene.facts} == set(FACTS) - of_people
    names = FAMILIES[track]
    for steps in STEPS:
        assert {family_name(tuple(fact.kind for fact in scene.facts)) for scene in many(track, steps)} <= names(steps)
    assert len(set().union(*map(names, STEPS))) >= 8


@pytest.mark.parametrize("track", DRAWN)
@pytest.mark.parametrize(("steps", "asked_for"), [(1, 15), (2, 66), (3, 136), (4, 102), (5, 24)])
def test_most_programs_can_be_asked_for(track: str, steps: int, asked_for: int) -> None:
    """Zoom with swap alone, and rotation with flip, can't: they are one part. Of five steps no half turn of hues can.

    Beside a colour stands its opposite: under a half turn of the hues that is C's own, right with a step less.
    """
    found = set[int]()
    for name in FAMILIES[track](steps):
        for index in range(16):
            streams = Streams(StreamFamily("tests/visanalog/programs", steps, index, *name.split(" and ")))
            _, _, grids = _question(*drawing(track, name), steps, streams)
            found.update(number for grid in grids for corner in grid.corners for number in grid.programs[corner])
    assert asked_for <= len(found)
    if steps == 2:
        alone = {("zoom", "swap"), ("rotation", "flip")}
        assert not [number for number in found if PROGRAMS[number].steps in alone]
    if steps == 5:
        assert {PROGRAMS[number].hue for number in set(programs_of(steps)) - found} == {2}


def texts_of_one_word(texts: Sequence[str]) -> bool:
    return all(text.isalpha() for text in texts)


@pytest.mark.parametrize("track", DRAWN)
def test_words_name_no_edit_and_options_are_parallel(track: str) -> None:
    for steps in STEPS:
        for scene in many(track, steps):
            question, texts, _ = asked_of(scene)
            said = " ".join([question, *texts])
            assert not EDITS.search(said), said
            assert len({text.count(";") for text in texts}) == 1
            # "right" is more than twice as long as "up", and they are parallel, too.
            assert max(map(len, texts)) <= 2 * min(map(len, texts)) or texts_of_one_word(texts), texts


@pytest.mark.parametrize("track", DRAWN)
def test_clauses_are_compound_from_three_steps_on(track: str) -> None:
    for steps in (1, 2):
        assert not [name for name in FAMILIES[track](steps) if " look" in name], steps
    for steps in (3, 4, 5):
        assert [name for name in FAMILIES[track](steps) if " look" in name], steps


def test_a_picture_shows_no_two_things_of_which_one_could_be_called_the_other() -> None:
    kinds = ("armchair", "chair", "corner-sofa", "deck-chair", "mailbox", "flower-box", "sofa", "table", "table-lamp")
    assert called_alike(kinds) == (
        ("armchair", "chair", "deck-chair"),
        ("corner-sofa", "sofa"),
        ("flower-box", "mailbox"),
        ("table",),
        ("table-lamp",),
    )
    many_kinds = {f"{word}-chair": [word] for word in "abcdef"} | {f"kind{number}": ["x"] for number in range(20)}
    for index in range(40):
        picture = compose(many_kinds, (), Stream("tests/visanalog/alike", index), rims=True)
        assert sum(one.name.endswith("chair") for one in picture.things) <= 1


def test_the_things_of_a_picture_are_nine_to_fifteen_of_kinds_of_their_own_and_leave_the_middle_lines_free() -> None:
    for scene in many(COMPOSED, 3):
        for things in map(things_of, (scene.source, scene.query)):
            assert 9 <= len(things) <= 15
            assert len({one.name for one in things}) == len(things)
            for one in things:
                assert isinstance(one, Thing)
                assert all(one.side / 2 < abs(value) <= 256 - one.side / 2 for value in one.at)
            for down in (True, False):
                for right in (True, False):
                    here = [one for one in things if (one.at[0] > 0, one.at[1] > 0) == (right, down)]
                    assert sum(one.marked for one in here) == 1
                    assert any(max(map(abs, one.at)) > 205 for one in here), "in the outer ring"


@pytest.mark.parametrize("track", DRAWN)
def test_wrong_options_carry_mistakes_and_a_step_left_out_is_found(track: str) -> None:
    found = Counter[str]()
    for steps in STEPS:
        for scene in many(track, steps):
            [keyed] = BENCHMARK.questions(scene)
            assert isinstance(keyed.key, ChoiceKey)
            named = keyed.key.outcomes
            assert len(named) == 3
            assert keyed.key.label not in named
            found.update(named.values())
            own = tuple(option_values(things_of(scene.query), scene.facts)[0].tolist())
            if steps == 1:
                assert named["ABCD"[scene.options.index(own)]].endswith("left out")
    assert set(found) <= set(MISTAKES)
    assert found["other hue"] > 20


def test_the_ladder_asks_one_question_four_times_and_opens_each_rung_when_the_one_below_is_answered() -> None:
    for scene in items(5, setting=LADDER):
        keyed = BENCHMARK.questions(scene)
        assert [one.question.id for one in keyed] == list(RUNGS)
        assert len({tuple(one.question.options) for one in keyed}) == 1
        assert [[picture.name for picture in one.question.pictures] for one in keyed] == [
            ["1"],
            ["2", "3", "4"],
            ["4"],
            ["5"],
        ]
        given: dict[str, str | None] = {}
        for place, rung in enumerate(RUNGS):
            assert BENCHMARK.next_questions(scene, given) == RUNGS[: place + 1]
            given[rung] = None
        assert BENCHMARK.next_questions(scene, {ORACLE: "A"}) == RUNGS[:1]
        assert [one.facets["ranked"] for one in keyed] == ["no", "yes", "no", "no"]


@pytest.mark.parametrize("track", DRAWN)
def test_who_sees_c_in_ds_place_finds_no_option_that_holds_or_the_one_of_c_itself(track: str) -> None:
    for scene in items(60, track=track, setting=WRONG_IMAGE):
        [keyed] = BENCHMARK.questions(scene)
        found = BENCHMARK.solve(view_of(BENCHMARK, scene, keyed.question))
        assert found != keyed.key.label


@pytest.mark.parametrize("track", DRAWN)
def test_what_is_in_doubt_is_no_option(track: str) -> None:
    for scene in many(track, 4):
        assert all(value not in {AMBIGUOUS, ABSENT} for option in scene.options for value in option)


def test_the_search_space_is_described_unless_it_is_left_out() -> None:
    [told] = items(1)
    [untold] = items(1, space="left-out")
    texts = [BENCHMARK.questions(scene)[0].question.text for scene in (told, untold)]
    assert ["80%" in text for text in texts] == [True, False]
    assert BENCHMARK.questions(told)[0].question.id == END_TO_END
