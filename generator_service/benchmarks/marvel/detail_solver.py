"""Answer questions on details of MARVEL's choices from the panels' descriptions alone.

It shares no code with the generator: `tetrad.solvers.marvel` interprets descriptions, this module answers.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from tetrad.solvers.marvel.texts import read_panel

Words = Mapping[str, str]
"""The description of each choice, by its label."""
Claim = Callable[[re.Match[str], str, Words], bool]
"""(question, one of its answers, descriptions) -> whether the answer is true."""

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
)


class CannotTellError(ValueError):
    """The descriptions fit both answers or none, or the question is of no known kind."""


def choose_answer(text: str, answers: Sequence[str], words: Words) -> str:
    """Return the one answer that fits the descriptions.

    Raises:
        CannotTellError: there is none, or both are.
    """
    for pattern, claim in _KINDS:
        if found := pattern.search(text):
            left = [answer for answer in answers if claim(found, answer, words)]
            if len(left) == 1:
                return left[0]
            raise CannotTellError(f"{text} {list(answers)}: {left} of {dict(words)}")
    raise CannotTellError(text)


def _says(template: str) -> Claim:
    """Look for words in the description.

    {answer} is the answer, {noun} the same without its article. Other fields are from the question.
    """

    def claim(found: re.Match[str], answer: str, words: Words) -> bool:
        parts = {name: re.escape(part) for name, part in found.groupdict().items()}
        noun = re.escape(re.sub(r"^an? ", "", answer))
        pattern = template.format(answer=re.escape(answer), noun=noun, **parts)
        return re.search(pattern, words[found["choice"]], re.IGNORECASE) is not None

    return claim


def _means(of: Mapping[str, str]) -> Claim:
    """Look for the description's own word for the answer."""
    return lambda found, answer, words: re.search(of[answer], words[found["choice"]]) is not None


def _has(yes: str, template: str) -> Claim:
    """Take the answer `yes` if the description has the words, the other one if not."""

    def claim(found: re.Match[str], answer: str, words: Words) -> bool:
        pattern = template.format(**{name: re.escape(part) for name, part in found.groupdict().items()})
        return (re.search(pattern, words[found["choice"]]) is not None) is (answer == yes)

    return claim


def _count(words: str, noun: str) -> int:
    """Return the count that a description states: of white or of black ones if it counts both, or of a set."""
    stated = read_panel(words)
    [value] = [entry.value for name, entry in stated.items() if len(stated) == 1 or noun.startswith(name)]
    return len(value) if isinstance(value, frozenset) else int(str(value))


def _has_count(found: re.Match[str], answer: str, words: Words) -> bool:
    return _count(words[found["choice"]], found["noun"]) == _NUMBERS.index(answer)


def _has_more(found: re.Match[str], answer: str, words: Words) -> bool:
    more = _count(words[found["choice"]], found["noun"]) > _count(words[found["other"]], found["noun"])
    return more is (answer in {"more", "larger"})


def _angles(found: re.Match[str], answer: str, words: Words) -> bool:
    first, second = (int(re.findall(r"(\d+) degrees", words[found[name]])[0]) for name in ("choice", "other"))
    return first != second and (answer == "larger") is (first > second)


def _in_line(place: int) -> Claim:
    def claim(found: re.Match[str], answer: str, words: Words) -> bool:
        listed = re.split(r", | and ", words[found["choice"]].partition(": ")[2].removesuffix("."))
        return listed[place].endswith(re.sub(r"^an? ", "", answer))

    return claim


def _spoke(found: re.Match[str], answer: str, words: Words) -> bool:
    listed = re.findall(r"from the middle (.+?),? (?:each )?ending", words[found["choice"]])[0]
    return (found["way"].replace(" and ", "-") in re.split(r", | and ", listed)) is (answer == "drawn")


def _same_mark(found: re.Match[str], answer: str, words: Words) -> bool:
    face = rf"on the {found['face']} face, an? ([^,;]+?)(?=[,;]|\.$)"
    first, second = (re.findall(face, words[found[name]])[0] for name in ("choice", "other"))
    return (first == second) is (answer == "the same mark")


_RELATIONS = {
    "apart": r"\bapart\.$",
    "touching each other without overlapping": r"touching each other\.$",
    "overlapping": r"overlapping\.$",
    "one inside the other": r"\binside\b",
}
_INK = {
    "squares": r"\bblock figure\b",
    "rounded figures": r" with a dot\b",
    "lines": r"\bstroke figure\b",
    "pieces that meet in the middle of a face": r"\bsix-part figure\b",
    "pieces of the same shape as the face": r"\bfour-part figure\b",
}
_CHOICE = r" choice (?P<choice>\w)\?$"
_KINDS: tuple[tuple[re.Pattern[str], Claim], ...] = tuple(
    (re.compile(pattern), claim)
    for pattern, claim in (
        (rf" station .+ in{_CHOICE}", _says("at the {answer} station")),
        (rf"of the (?P<ring>outer|inner) ring in{_CHOICE}", _says("{answer} of the {ring} ring")),
        (rf"of the ring in{_CHOICE}", _says("stands {answer} of the ring")),
        (rf"^Is the .+ of the grid in{_CHOICE}", _says(" in {answer}, the other cells")),
        (rf"the top of the figure point .+ in{_CHOICE}", _says(r"its top points {answer}\.$")),
        (rf"^Does the long hand .+ in{_CHOICE}", _says("long thin one points {answer},")),
        (rf"^Does the short hand .+ in{_CHOICE}", _says(r"short thick one points {answer}\.$")),
        (r"the very top \w+ or \w+ in choice (?P<choice>\w)\?$", _has("black", r"ones stand.* at the top[,;]")),
        (r"the far right \w+ or \w+ in choice (?P<choice>\w)\?$", _has("black", r"ones stand.* at the right[,;]")),
        (r"cell in the very middle of choice (?P<choice>\w) ", _has("filled", r"row 3 column 3\b")),
        (r"the two figures in choice (?P<choice>\w) ", _means(_RELATIONS)),
        (r"the black dot in choice (?P<choice>\w) ", lambda found, answer, words: (
            answer.replace(" figures", "") in words[found["choice"]])),
        (rf"^Is the (?P<small>.+) (?:above|below|to the .+ of) or .+ the .+ in{_CHOICE}", _says("{answer} a large")),
        (r"outermost figure in choice (?P<choice>\w) ", _says("^{answer} with")),
        (r"innermost figure in choice (?P<choice>\w) ", _says(r"a small black {noun}\.")),
        (r"topmost figure in choice (?P<choice>\w),", _says(r"on top a \w+ {noun},")),
        (r"lowest figure in choice (?P<choice>\w),", _says(r"at the bottom a \w+ {noun};")),
        (r"middle one of the three figures in choice (?P<choice>\w) ", _in_line(1)),
        (r"first of the three figures in choice (?P<choice>\w),", _in_line(0)),
        (r"^Is the (?P<arrow>arrow) in choice (?P<choice>\w) ", _says("An arrow, {answer},")),
        (r"^Is (?:the|every) (?P<figure>.+) in choice (?P<choice>\w) (?:black|white|grey) or",
         _says(r"\b{answer} {figure}(e?s)?\b")),
        (r"cell in (?P<cell>row \d column \d) of choice (?P<choice>\w) ", _has("filled", "{cell}")),
        (r"^In choice (?P<choice>\w), is the spoke that points (?P<way>.+) (?:missing|drawn) or", _spoke),
        (r"^In choice (?P<choice>\w), is (?P<stroke>.+) (?:missing|drawn) or", _has("drawn", "{stroke}")),
        (r"left and the right half of choice (?P<choice>\w) ", _has("mirror images of each other", "is upright")),
        (r"upper and the lower half of choice (?P<choice>\w) ", _has("mirror images of each other", "is level")),
        (r"^If choice (?P<choice>\w) is turned by half", _has("the same", r"half turn leaves")),
        (r"^Is the outline in choice (?P<choice>\w) made of", _says("made of (a )?{answer}")),
        (r"^Is the outline in choice (?P<choice>\w) ", _says("^An? {answer} outline")),
        (r"lines in choice (?P<choice>\w) meet at", _says(r"\b{answer} degrees")),
        (r"angle in choice (?P<choice>\w) .+ than the one in choice (?P<other>\w)\?$", _angles),
        (r"^Are there \w+ or \w+ (?P<noun>.+) in choice (?P<choice>\w) than in choice (?P<other>\w)\?$", _has_more),
        (rf"^Are there \w+ or \w+ (?P<noun>.+) in{_CHOICE}", _has_count),
        (r"^Do the (?P<face>[\w ]+) faces of the \w+ in choices (?P<choice>\w) and (?P<other>\w) ", _same_mark),
        (r"^Does the (?P<face>[\w ]+) face of the \w+ in choice (?P<choice>\w) ",
         _says(r"on the {face} face, {answer}(?=[,;]|\.$)")),
        (r"^Does the top of the (?P<mark>.+) on the (?P<face>[\w ]+) face in choice (?P<choice>\w) ",
         _says(r"on the {face} face, an? {mark}, its top {answer}(?=;|\.$)")),
        (r"marks on the \w+ in choice (?P<choice>\w) ", _means(_INK)),
        (rf"^Is there an? .+ at the ends of the spokes of{_CHOICE}", _says(r"ending in a black {noun}\.")),
        (rf"^Is there an? .+{_CHOICE}", _says(r"\b{noun}(e?s)?\b")),
    )
)  # fmt: skip
