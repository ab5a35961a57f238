"""Tests of the attribute that a wrong choice breaks."""

from generator_service.benchmarks.marvel import BENCHMARK
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.question import mistake_of
from generator_service.benchmarks.marvel.spec import CHOICES, SOLID, Look, Panel, Puzzle
from tests.benchmarks.marvel.items import puzzles, scenes
from tetrad.contracts.items import ChoiceKey

VIEWS = ((0, 1, 2, 3, 4, 0), (4, 1, 0, 2, 2, 3), (2, 3, 0, 1, 4, 0), (0, 1, 2, 3, 5, 0))


def test_a_choice_breaks_what_it_has_otherwise_than_the_right_one() -> None:
    for puzzle in puzzles(2):
        if puzzle.pattern == SOLID:
            continue
        governed = {rule.split(":")[0] for rule in puzzle.rules}
        fields = [field.name for field in FORMS[puzzle.form].fields]
        for place in range(CHOICES):
            pairs = zip(fields, puzzle.choices[place].values, puzzle.choices[puzzle.key].values, strict=True)
            broken = [name for name, chosen, right in pairs if chosen != right and name in governed]
            assert bool(broken) == (place != puzzle.key)
            assert len(mistake_of(puzzle, place).split(" and ")) == max(1, len(broken))


def test_two_attributes_make_three_mistakes() -> None:
    [puzzle] = [one for one in puzzles(8) if one.family == "two sorts"][:1]
    names = [mistake_of(puzzle, place) for place in range(CHOICES) if place != puzzle.key]
    assert sorted(names) == ["number of black", "number of white", "number of white and number of black"]


def test_views_of_a_cube_show_other_marks_another_order_or_a_turned_mark() -> None:
    look = Look(shape="geometric", sorts=(), seeds=(), fills=(), ground=0, seed=0)
    puzzle = Puzzle(
        pattern=SOLID,
        configuration="reassembling",
        family="pointers",
        form="cube",
        look=look,
        context=(),
        choices=tuple(Panel(view) for view in VIEWS),
        key=0,
        rules=(),
        tries=1,
    )
    named = [mistake_of(puzzle, place) for place in range(1, CHOICES)]
    assert named == ["a mark turned", "marks in another order", "other marks"]


def test_the_puzzle_s_key_names_the_mistake_of_each_wrong_choice_and_of_no_other() -> None:
    for scene in scenes("avr-only", {"variant": "letters"}):
        [keyed] = BENCHMARK.questions(scene)
        assert isinstance(keyed.key, ChoiceKey)
        assert keyed.key.outcomes == {
            label: mistake_of(scene.puzzle, place) for place, label in enumerate("ABCD") if place != scene.puzzle.key
        }
