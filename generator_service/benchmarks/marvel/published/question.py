"""Turn a published puzzle into its scene, its picture, and its questions: three counts, one detail, and the puzzle.

The seed picks the order and the places of the detail's answers. All questions are open at once.

The detail's question and its two answers are the corpus's own words; the others are ours, except in the setting that
asks as the corpus does. No question gives another's answer away: the published picture shows all that is asked about.
"""

from generator_service.benchmark import ExtractedAnswers, Parameters, PictureArray, Streams
from generator_service.benchmarks.marvel.published.spec import AVR_ONLY, CHOICES, NET, OWN_WORDS, Puzzle, Scene
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.items import Choice, ChoiceKey, Key, KeyedQuestion, Number, NumberKey, Option, Picture, Question
from tetrad.contracts.wire import Facets

LETTERS = ("A", "B")
NUMBERS = ("1", "2", "3", "4")
MOST_PANELS = 999

_PICTURE = (Picture(name="1", caption="Puzzle"),)
_PARTS = "The picture is a puzzle: a context of panels{blank}, and below it panels to choose from."
_BLANK, _COUNTED = ", the last of which is blank", ", counting the blank one"
COUNT_TEXTS = {
    "context-panels": f"{_PARTS} How many panels does the context have{{counted}}?",
    "choice-panels": f"{_PARTS} How many panels are there to choose from?",
    "all-panels": f"{_PARTS} How many panels are there altogether{{counted}}?",
}
_RULES = {
    "sequence": "The panels of the context form a sequence, and the last one is missing.",
    "two-row": "The context has two rows of three panels. The first row follows a rule; the last panel of the second "
    "row, which follows it too, is missing.",
    "matrix": "The context has three rows of three panels that follow a rule, by row or by column; the last panel is "
    "missing.",
    "group": "The panels of the context have something in common; one more that has it is missing.",
    NET: "The context is the net of {solid}, laid flat; what is missing is the {name} folded from it.",
}
_SOLIDS = {"tetrahedron": "a tetrahedron", "octahedron": "an octahedron", "cube": "a cube"}
PUZZLE_TEXT = "The picture is a puzzle. {rule} Which of the choices 1, 2, 3 and 4 below it belongs there?"
NUMBER_INSTRUCTION = "Answer with a number."
DETAIL_INSTRUCTION = "Answer with the letter of one option, in parentheses."
PUZZLE_INSTRUCTION = "Answer with the number of one choice, in parentheses."


def sample(corpus: Corpus, _track: str, setting: str, _parameters: Parameters, cell: Facets, streams: Streams) -> Scene:
    puzzle: Puzzle = corpus.items[int(cell[PLACE])]
    first, second = streams("detail").shuffle((puzzle.detail_right, puzzle.detail_wrong))
    return Scene(puzzle=puzzle, details=(first, second), full=setting != AVR_ONLY, own_words=setting == OWN_WORDS)


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Return the puzzle's one picture; KeyError for another name."""
    if name != "1":
        raise KeyError(f"picture {name!r} is not 1, the only one")
    return corpus.picture(scene.puzzle.picture)


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the puzzle's questions, the puzzle itself last."""
    if not scene.full:
        return (_puzzle(scene),)
    return (*_counts(scene), _detail(scene), _puzzle(scene))


def next_questions(scene: Scene, _extracted: ExtractedAnswers) -> tuple[str, ...]:
    return tuple(keyed.question.id for keyed in questions(scene))


def _counts(scene: Scene) -> list[KeyedQuestion]:
    panels = scene.puzzle.panels
    net = scene.puzzle.configuration == NET
    words = {"blank": "" if net else _BLANK, "counted": "" if net else _COUNTED}
    truth = {"context-panels": panels, "choice-panels": CHOICES, "all-panels": panels + CHOICES}
    texts = [text.format(**words) for text in COUNT_TEXTS.values()]
    if scene.own_words:
        texts = list(scene.puzzle.own_words[:-1])
    return [
        _key_question(
            scene,
            "coarse",
            Question(
                id=name,
                kind=name,
                text=text,
                shape=Number(most=MOST_PANELS),
                pictures=_PICTURE,
                instruction=NUMBER_INSTRUCTION,
                final=True,
            ),
            NumberKey(number=number),
        )
        for (name, number), text in zip(truth.items(), texts, strict=True)
    ]


def _detail(scene: Scene) -> KeyedQuestion:
    question = Question(
        id="detail",
        kind="detail",
        text=scene.puzzle.detail,
        shape=Choice(labels=LETTERS),
        options=tuple(Option(label=label, text=text) for label, text in zip(LETTERS, scene.details, strict=True)),
        pictures=_PICTURE,
        instruction=DETAIL_INSTRUCTION,
        final=True,
    )
    label = LETTERS[scene.details.index(scene.puzzle.detail_right)]
    return _key_question(scene, "fine", question, ChoiceKey(label=label))


def _puzzle(scene: Scene) -> KeyedQuestion:
    question = Question(
        id="puzzle",
        kind="puzzle",
        text=scene.puzzle.own_words[-1] if scene.own_words else _puzzle_text(scene.puzzle),
        shape=Choice(labels=NUMBERS),
        options=tuple(Option(label=label) for label in NUMBERS),
        pictures=_PICTURE,
        instruction=PUZZLE_INSTRUCTION,
        final=True,
    )
    return _key_question(scene, "avr", question, ChoiceKey(label=str(scene.puzzle.answer)))


def _puzzle_text(puzzle: Puzzle) -> str:
    """Word the puzzle. Which solid a net is of, the data set's own words say; without them it is called a cube."""
    told = puzzle.own_words[-1] if puzzle.own_words else ""
    name = next((solid for solid in _SOLIDS if solid in told), "cube")
    return PUZZLE_TEXT.format(rule=_RULES[puzzle.configuration].format(solid=_SOLIDS[name], name=name))


def _key_question(scene: Scene, stage: str, question: Question, key: Key) -> KeyedQuestion:
    puzzle = scene.puzzle
    facets = {"stage": stage, "kind": question.kind, "pattern": puzzle.pattern, "configuration": puzzle.configuration}
    return KeyedQuestion(question=question, key=key, facets=facets, cluster=str(puzzle.id))


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the puzzle. No service shows this for a corpus."""
    return f"Published puzzle {scene.puzzle.id}: choice {scene.puzzle.answer}.", {"puzzle": scene.puzzle.id}
