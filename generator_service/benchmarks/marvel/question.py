"""Compute words and truth from the scene: up to five questions a puzzle, with their keys."""

from collections.abc import Mapping
from typing import NamedTuple

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.marvel import wording
from generator_service.benchmarks.marvel.describing import puzzle_words
from generator_service.benchmarks.marvel.explanation import reason
from generator_service.benchmarks.marvel.pictures import labels_of, names_of
from generator_service.benchmarks.marvel.rules.families import families_of
from generator_service.benchmarks.marvel.spec import (
    CHOICES,
    DESCRIBED,
    FULL,
    PANELS,
    QUESTION_MARK,
    REWORDED,
    SOLID,
    Puzzle,
    Scene,
    panels_in_context,
)
from generator_service.cache_budget import cache_within_budget
from tetrad.contracts.items import (
    Choice,
    ChoiceKey,
    KeyedQuestion,
    Number,
    NumberKey,
    Option,
    Picture,
    Question,
)
from tetrad.contracts.wire import Facets

DETAIL, PUZZLE = "detail", "puzzle"
COARSE_KINDS = tuple(wording.COUNTS)
SIDES = ("A", "B")


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return every question of the item: three counts, one detail, the puzzle; or the puzzle alone."""
    which = _puzzle_question(scene)
    if scene.setting != FULL:
        return (which,)
    return (*_counts(scene), _detail(scene), which)


def next_questions(scene: Scene, extracted: ExtractedAnswers) -> tuple[str, ...]:
    """Return all questions: none gives away an answer that words and picture don't show anyway."""
    del extracted
    return (*COARSE_KINDS, DETAIL, PUZZLE) if scene.setting == FULL else (PUZZLE,)


def _facets(puzzle: Puzzle, stage: str, kind: str) -> Facets:
    return {
        "stage": stage,
        "kind": kind,
        "pattern": puzzle.pattern,
        "configuration": puzzle.configuration,
        "shape": puzzle.look.shape,
        "family": puzzle.family,
    }


def _counts(scene: Scene) -> list[KeyedQuestion]:
    puzzle = scene.puzzle
    context = panels_in_context(puzzle)
    _, _, plain = names_of(0, len(puzzle.context), scene.variant)
    numbers = (context, CHOICES, context + CHOICES)
    return [
        KeyedQuestion(
            question=_count_question(kind, plain, puzzle.pattern == SOLID, scene.variant == QUESTION_MARK),
            key=NumberKey(number=number),
            facets=_facets(puzzle, "coarse", kind),
            cluster=scene.item,
        )
        for kind, number in zip(COARSE_KINDS, numbers, strict=True)
    ]


@cache_within_budget(256)
def _count_question(kind: str, picture: str, is_net: bool, marked: bool) -> Question:  # noqa: FBT001 - two facts of a sheet
    gap = wording.MARKED if marked else wording.BLANK
    parts = wording.COUNTED_NET if is_net else wording.COUNTED.format(gap=gap)
    asked = wording.FRAMES[kind] if is_net else wording.COUNTS[kind].format(counted=gap.counted)
    return Question(
        id=kind,
        kind=kind,
        text=parts + asked,
        shape=Number(),
        pictures=(Picture(name=picture, caption=wording.PLAIN_CAPTION),),
        instruction=wording.NUMBER_INSTRUCTION,
        final=True,
    )


def _detail(scene: Scene) -> KeyedQuestion:
    fine = scene.fine
    assert fine is not None, "the full setting asks a detail"  # noqa: S101 - for the type checker
    return KeyedQuestion(
        question=Question(
            id=DETAIL,
            kind=DETAIL,
            text=f"{_layout_words(scene)} {fine.text}",
            shape=Choice(labels=SIDES),
            options=tuple(Option(label=label, text=text) for label, text in zip(SIDES, fine.answers, strict=True)),
            pictures=_puzzle_pictures(scene),
            instruction=wording.SIDE_INSTRUCTION,
            final=True,
        ),
        key=ChoiceKey(label=SIDES[fine.right]),
        facets=_facets(scene.puzzle, "fine", fine.kind),
        cluster=scene.item,
        option_values=dict(zip(SIDES, fine.answers, strict=True)),
    )


def _puzzle_question(scene: Scene) -> KeyedQuestion:
    puzzle, labels = scene.puzzle, labels_of(scene.variant)
    _, choices, _ = names_of(len(scene.demonstrations), len(puzzle.context), scene.variant)
    options = [
        Option(label=label, picture=choices[place])
        if choices
        else Option(label=label, text=wording.CHOICE_TEXT.format(label=label))
        for place, label in enumerate(labels)
    ]
    noun = "letter" if labels[0].isalpha() else "number"
    return KeyedQuestion(
        question=Question(
            id=PUZZLE,
            kind=PUZZLE,
            text=_puzzle_text(scene),
            shape=Choice(labels=labels),
            options=tuple(options),
            pictures=(*_example_pictures(scene), *_puzzle_pictures(scene)),
            instruction=wording.LABEL_INSTRUCTION.format(noun=noun),
            final=True,
        ),
        key=ChoiceKey(
            label=labels[puzzle.key],
            outcomes={label: mistake_of(puzzle, at) for at, label in enumerate(labels) if at != puzzle.key},
        ),
        facets=_facets(puzzle, "avr", PUZZLE),
        cluster=scene.item,
        option_values={label: _meaning(puzzle, place) for place, label in enumerate(labels)},
    )


MISTAKES = (
    "a mark turned",
    "angle of the hands",
    "axis",
    "corners",
    "curved or straight",
    "figure",
    "inner place",
    "long hand",
    "long hand and angle of the hands",
    "marks in another order",
    "number",
    "number of black",
    "number of white",
    "number of white and number of black",
    "open or closed",
    "open or closed and curved or straight",
    "opening",
    "order",
    "other marks",
    "outer place",
    "outer place and inner place",
    "parts",
    "place",
    "relation",
    "side",
    "station",
    "symmetry",
    "turn",
    "zone",
)
"""What wrong choices of a puzzle stand for."""


def mistake_of(puzzle: Puzzle, place: int) -> str:
    """Name a choice's mistake: the fields under a rule in which it differs from the right one.

    A view of a solid may have other marks, the same marks in another order about the corner, or a turned mark.
    """
    chosen, right = puzzle.choices[place].values, puzzle.choices[puzzle.key].values
    if puzzle.pattern == SOLID:
        return _mistake_of_view(chosen[::2], right[::2])
    [family] = (family for family in families_of(puzzle.pattern, puzzle.configuration) if family.name == puzzle.family)
    broken = [name for name in family.governs if chosen[family.panel.place(name)] != right[family.panel.place(name)]]
    return " and ".join(wording.FIELDS.get(name, name) for name in broken)


def _mistake_of_view(marks: tuple[int, ...], right: tuple[int, ...]) -> str:
    if set(marks) != set(right):
        return "other marks"
    about_corner = {(*right[times:], *right[:times]) for times in range(len(right))}
    return "a mark turned" if marks in about_corner else "marks in another order"


def _meaning(puzzle: Puzzle, place: int) -> str:
    values = " ".join(map(str, puzzle.choices[place].values))
    return f"{puzzle.form} {values}"


def _puzzle_text(scene: Scene) -> str:
    puzzle = scene.puzzle
    parts = [f"{_layout_words(scene)} {_word_parts(_wording_of(scene).which, puzzle, _gap(scene))}"]
    if scene.setting == DESCRIBED:
        parts.append(puzzle_words(puzzle, scene.variant))
    if scene.demonstrations:
        examples = [_example(scene, number) for number in range(len(scene.demonstrations))]
        parts = ["\n".join(examples), f"{wording.NOW} {parts[0]}"]
    return "\n".join(parts)


def _layout_words(scene: Scene) -> str:
    labels, words = labels_of(scene.variant), _wording_of(scene)
    listed = f"{', '.join(labels[:-1])} and {labels[-1]}"
    return f"{_word_parts(words.arranged, scene.puzzle, _gap(scene))} {words.choices.format(labels=listed)}"


class _Words(NamedTuple):
    """The words by configuration: the part above, and the choice that is asked for. Then those for the choices."""

    arranged: Mapping[str, str]
    which: Mapping[str, str]
    choices: str


_ON_A_SHEET = _Words(wording.ARRANGED, wording.WHICH, wording.CHOICES_BELOW)
_WORDS = {
    PANELS: _Words(wording.APART, wording.WHICH, wording.CHOICES_APART),
    REWORDED: _Words(wording.OTHERWISE_ARRANGED, wording.OTHERWISE_WHICH, wording.OTHERWISE_CHOICES),
}


def _wording_of(scene: Scene) -> _Words:
    return _WORDS.get(scene.variant, _ON_A_SHEET)


def _word_parts(words: Mapping[str, str], puzzle: Puzzle, gap: wording.Gap) -> str:
    return words[puzzle.configuration].format(gap=gap, **wording.SOLIDS.get(puzzle.form, {}))


def _gap(scene: Scene) -> wording.Gap:
    return {QUESTION_MARK: wording.MARKED, PANELS: wording.MISSING}.get(scene.variant, wording.BLANK)


def _example(scene: Scene, number: int) -> str:
    shown = scene.demonstrations[number]
    gap = wording.MARKED if scene.variant == QUESTION_MARK else wording.BLANK  # a sheet, in every variant
    words = _wording_of(scene) if scene.variant == REWORDED else _ON_A_SHEET
    return wording.EXAMPLE.format(
        number=number + 1,
        arranged=_word_parts(words.arranged, shown, gap),
        which=_word_parts(words.which, shown, gap),
        reason=reason(shown),
        label=labels_of(scene.variant)[shown.key],
    )


def _example_pictures(scene: Scene) -> tuple[Picture, ...]:
    return tuple(
        Picture(name=str(number), caption=wording.EXAMPLE_CAPTION.format(number=number))
        for number in range(1, len(scene.demonstrations) + 1)
    )


def _puzzle_pictures(scene: Scene) -> tuple[Picture, ...]:
    puzzle = scene.puzzle
    context, choices, _ = names_of(len(scene.demonstrations), len(puzzle.context), scene.variant)
    if not choices:
        return (Picture(name=context[0], caption=wording.SHEET_CAPTION),)
    caption = wording.NET_CAPTION if puzzle.pattern == SOLID else wording.CONTEXT_CAPTION
    shown = [Picture(name=name, caption=caption.format(number=number)) for number, name in enumerate(context, start=1)]
    offered = [
        Picture(name=name, caption=wording.CHOICE_CAPTION.format(label=label))
        for name, label in zip(choices, labels_of(scene.variant), strict=True)
    ]
    return (*shown, *offered)
