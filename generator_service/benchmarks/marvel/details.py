"""Draw the fine question: a detail of one choice, with two answers that are equally likely to a reader of the words.

If a detail varies, the answers are the values of two choices, and the question is about either of them. If all panels
share a detail, the other answer is a value that the puzzle could have had as well.
"""

from collections.abc import Iterator
from itertools import combinations

from generator_service.benchmarks.marvel.describing import SEEN
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.forms.form import Detail, Trait, with_article
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.pictures import labels_of
from generator_service.benchmarks.marvel.spec import GEOMETRIC, SOLID, Fine, Puzzle
from generator_service.benchmarks.marvel.wording import SOLIDS
from tetrad.streams import Stream

Asked = tuple[str, str, str, str]
"""Kind, words of the question with {a} and {b} open, right answer, other answer."""


def fine_question(puzzle: Puzzle, variant: str, stream: Stream) -> Fine:
    """Draw a kind that the puzzle allows, then a question of that kind, then the order of the answers."""
    return put_question(_draw_question(_pairs(puzzle, labels_of(variant)), stream), stream.below(2))


def put_question(asked: Asked, place: int) -> Fine:
    """Return a question with its right answer at a place, 0 or 1."""
    kind, text, right, other = asked
    answers = (right, other) if place == 0 else (other, right)
    return Fine(kind=kind, text=text.format(a=answers[0], b=answers[1]), answers=answers, right=place)


def shared_questions(puzzle: Puzzle, variant: str) -> list[Asked]:
    """Return the questions about what all panels share: the context shows their answers as the choices do."""
    labels = labels_of(variant)
    if puzzle.pattern == SOLID:
        pairs = [] if puzzle.look.shape == GEOMETRIC else list(_ask_ink(puzzle, labels))
    else:
        pairs = [pair for trait in FORMS[puzzle.form].traits for pair in _ask_trait(puzzle, trait, labels)]
    return [asked for asked, _ in pairs]


def truths(puzzle: Puzzle, variant: str) -> dict[str, str]:
    """Return the right answer of every detail that may be asked of the puzzle, by the words of the question."""
    pairs = _pairs(puzzle, labels_of(variant))
    found: dict[str, str] = {}
    for _, text, right, other in (asked for pair in pairs for asked in pair):
        found[text.format(a=right, b=other)] = found[text.format(a=other, b=right)] = right
    return found


def _pairs(puzzle: Puzzle, labels: tuple[str, ...]) -> list[tuple[Asked, Asked]]:
    return _solid(puzzle, labels) if puzzle.pattern == SOLID else _flat(puzzle, labels)


def _draw_question(pairs: list[tuple[Asked, Asked]], stream: Stream) -> Asked:
    """Draw a kind, then one of its pairs of questions with the same words and opposite answers, then one of the two."""
    kind = stream.choice(sorted({first[0] for first, _ in pairs}))
    return stream.choice(stream.choice([pair for pair in pairs if pair[0][0] == kind]))


def _flat(puzzle: Puzzle, labels: tuple[str, ...]) -> list[tuple[Asked, Asked]]:
    form = FORMS[puzzle.form]
    varied = (pair for detail in form.details for pair in _ask_detail(puzzle, detail, labels))
    shared = (pair for trait in form.traits for pair in _ask_trait(puzzle, trait, labels))
    return [*varied, *shared]


def _ask_detail(puzzle: Puzzle, detail: Detail, labels: tuple[str, ...]) -> Iterator[tuple[Asked, Asked]]:
    ask, look = detail.ask(puzzle.look), puzzle.look
    values = [detail.of(look, panel) for panel in puzzle.choices]
    for i, j in combinations(range(len(values)), 2):
        if values[i] == values[j]:
            continue
        compared = "{other}" in ask
        first, second = (int(values[i] > values[j]), int(values[j] > values[i])) if compared else (values[i], values[j])
        a, b = detail.answer(look, first), detail.answer(look, second)
        if a != b:
            yield (
                (detail.kind, _name_choices(ask, labels[i], labels[j]), a, b),
                (detail.kind, _name_choices(ask, labels[j], labels[i]), b, a),
            )


def _ask_trait(puzzle: Puzzle, trait: Trait, labels: tuple[str, ...]) -> Iterator[tuple[Asked, Asked]]:
    """Yield questions whose wrong answer is right in another, equally likely puzzle."""
    ask, true = trait.ask(puzzle.look), trait.true(puzzle.look)
    for other in trait.others(puzzle.look):
        for label in labels:
            asked = (trait.kind, _name_choices(ask, label, ""), true, other)
            yield asked, asked


def _name_choices(ask: str, choice: str, other: str) -> str:
    return ask.replace("{choice}", choice).replace("{other}", other)


def _solid(puzzle: Puzzle, labels: tuple[str, ...]) -> list[tuple[Asked, Asked]]:
    views = [panel.values for panel in puzzle.choices]
    own = _named_marks(puzzle, views, labels) if puzzle.look.shape == GEOMETRIC else _ask_ink(puzzle, labels)
    return [*_compare_faces(puzzle.form, views, labels), *own]


def _named_marks(
    puzzle: Puzzle, views: list[tuple[int, ...]], labels: tuple[str, ...]
) -> Iterator[tuple[Asked, Asked]]:
    """Yield questions on the mark of a face in which two choices differ, and on the direction of a mark both have."""
    family, seen = MARK_FAMILIES[puzzle.family], SEEN[puzzle.form]
    for at, face in enumerate(seen.faces):
        for i, j in combinations(range(len(views)), 2):
            (mark, turn), (other, otherwise) = (views[place][2 * at : 2 * at + 2] for place in (i, j))
            if mark != other:
                ask, kind = (
                    f"Does the {face} face of the {puzzle.form} in choice {{choice}} show {{a}} or {{b}}?",
                    "shape",
                )
                a, b = with_article(family.names[mark]), with_article(family.names[other])
            elif (turn - otherwise) % family.likeness:
                name = family.names[mark]
                ask = f"Does the top of the {name} on the {face} face in choice {{choice}} point {{a}} or {{b}}?"
                kind = "location"
                a, b = (seen.ways[at][way % family.likeness] for way in (turn, otherwise))
            else:
                continue
            yield (kind, _name_choices(ask, labels[i], ""), a, b), (kind, _name_choices(ask, labels[j], ""), b, a)


# The parts that abstract marks are made of. Two of four families of cubes draw lines. Squares and rounded figures are
# asked only against lines, so both answers stay equally likely.
_INK = {
    "blocks": ("squares", ("lines",)),
    "lopsided strokes": ("lines", ("squares", "rounded figures")),
    "half-turn strokes": ("lines", ("squares", "rounded figures")),
    "dotted blobs": ("rounded figures", ("lines",)),
    "sixths": ("pieces that meet in the middle of a face", ("pieces of the same shape as the face",)),
    "quarters": ("pieces of the same shape as the face", ("pieces that meet in the middle of a face",)),
}


def _ask_ink(puzzle: Puzzle, labels: tuple[str, ...]) -> Iterator[tuple[Asked, Asked]]:
    true, others = _INK[puzzle.family]
    for other in others:
        for label in labels:
            ask = f"Are the marks on the {puzzle.form} in choice {label} made of {{a}} or {{b}}?"
            asked = ("shape", ask, true, other)
            yield asked, asked


def _compare_faces(form: str, views: list[tuple[int, ...]], labels: tuple[str, ...]) -> Iterator[tuple[Asked, Asked]]:
    """Yield pairs of choices whose faces agree beside pairs whose faces don't."""
    solids = SOLIDS[form]["plural"]
    for at, face in enumerate(SEEN[form].faces):
        ask = (
            f"Do the {face} faces of the {solids} in choices {{choice}} and {{other}} show {{a}} or {{b}}, "
            "however turned?"
        )
        words = ("the same mark", "different marks")
        pairs = list(combinations(range(len(views)), 2))
        same = [pair for pair in pairs if views[pair[0]][2 * at] == views[pair[1]][2 * at]]
        for i, j in same:
            for k, m in (pair for pair in pairs if pair not in same):
                agree = ("comparison", _name_choices(ask, labels[i], labels[j]), *words)
                yield agree, ("comparison", _name_choices(ask, labels[k], labels[m]), *words[::-1])
