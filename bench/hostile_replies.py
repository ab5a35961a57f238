"""Hostile replies, made by seed: the same kind of text at every length, so that growth with the length shows.

`hostile_reply` repeats, nests or shuffles a few pieces. `hostile_kind` makes one kind of text: what nests deeply, what
almost matches a pattern, lists of options, words of many languages, blanks, labels, fragments of JSON.
"""

import random
from collections.abc import Callable, Iterable, Sequence

from tetrad.extraction import answer_tags, conclusions, number, numerals, spelled_labels, statements
from tetrad.extraction.anchored import Anchored
from tetrad.extraction.languages import LANGUAGES

__all__ = ["hostile_kind", "hostile_reply"]

TAGS = ("think", "reasoning", "analysis", "musing", "b", "p", "answer", "x-y.z", "details", "seed:think", "THINK")
TAG_FORMS = (
    "<{}>",
    "</{}>",
    "[{}]",
    "[/{}]",
    "<|{}|>",
    "<|begin_of_{}|>",
    "<|end_of_{}|>",
    "\u25c1{}\u25b7",
    "&lt;{}&gt;",
)
CHANNELS = (
    "<|channel|>analysis<|message|>",
    "<|channel|>final<|message|>",
    "<|end|>",
    "<|start|>assistant",
    "<channel|>",
)
LABELLED = (
    "A,",
    "(A)",
    "A: ",
    "B. ",
    "**C** ",
    "1,",
    "9 ",
    "(1)(2)",
    "\nA",
    "\n- (B) ",
    "'A' ",
    "\\boxed{",
    "\\boxed{A} or ",
)
STATED = (
    "the answer is A ", "the answer is not A but ", "so ", "so (B). ", "if ", "wait, ", "wait, no: ", "not ", "isn't ",
    "A is wrong. ", "either A or ", "A: no\n", "A: yes\n", "(A) no, ", "my first answer was A. ",
    "the best option which ",
    "\u7b54\u6848\u4e0d\u662fA", "\u7b54\u3048\u306fA", "\uc815\ub2f5\uc740 A",
    "\u043e\u0442\u0432\u0435\u0442 ", "la respuesta no es ", "n\u00e3o ", "sondern ", "la r\u00e9ponse ",
)  # fmt: skip
COUNTED = (
    "9 + ",
    "3 x ",
    "a dozen ",
    "total of ",
    "1,111,",
    "at least 9 ",
    "two hundred and ",
    "9\u500b",
    "\u4e5d",
    "Row 1: 3\n",
)
CAPTIONED = (
    "two mugs on a red table. ",
    "a to ",
    "red or ",
    "at least ",
    '"caption": "x',
    "caption: ",
    "( a ",
    "wait a ",
)
PLAIN = tuple(" \n.\t'\"()[]{}<>*`\\$|-,:x\u00a0\u0130")
OPENING = ("", "", "", "{", "```json\n", "<think>", "<musing>", "The answer is (A). ", "A")
CLOSING = ("", "", "(B)", "The answer is B.", "</think>", "wait", " no", "9")


def hostile_reply(number: int, length: int) -> str:
    """Return a hostile reply of this number, of `length` characters: the same kind of text at every length.

    It repeats, nests or shuffles one to four pieces, between an opening and a closing.
    """
    rng = random.Random(f"hostile/{number}")
    pieces = [_piece(rng) for _ in range(rng.randint(1, 4))]
    opening, closing = rng.choice(OPENING), rng.choice(CLOSING)
    inside = length - len(opening) - len(closing)
    return opening + _ARRANGED[rng.randrange(len(_ARRANGED))](pieces, inside, rng)[:inside] + closing


def _piece(rng: random.Random) -> str:
    kind = rng.choice((CHANNELS, LABELLED, STATED, COUNTED, CAPTIONED, PLAIN, None))
    if kind is not None:
        return rng.choice(kind)
    return rng.choice(TAG_FORMS).format(rng.choice(TAGS))


def _repeat(pieces: Sequence[str], length: int, _: random.Random) -> str:
    unit = "".join(pieces)
    return unit * (length // len(unit) + 1)


def _in_blocks(pieces: Sequence[str], length: int, _: random.Random) -> str:
    """Return each piece many times, then the next: what opens in a first block closes in a later one."""
    share = length // len(pieces) + 1
    return "".join((piece * (share // len(piece) + 1))[:share] for piece in pieces)


def _shuffle(pieces: Sequence[str], length: int, rng: random.Random) -> str:
    shortest = min(len(piece) for piece in pieces)
    return "".join(rng.choices(pieces, k=length // shortest + 1))


_ARRANGED: Sequence[Callable[[Sequence[str], int, random.Random], str]] = (_repeat, _in_blocks, _shuffle)


PAIRS = (
    *(("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("**", "**"), ('[["', '"]]'), ('{"a": ', "}")),
    *(("\\boxed{", "}"), ("\\text{", "}"), ('{"caption": "', '"}'), ("```think\n", "\n```")),
    *(
        (form.format(tag), form.replace("<", "</").replace("[", "[/").format(tag))
        for form in ("<{}>", "[{}]")
        for tag in TAGS
    ),
    *((f"<|begin_of_{tag}|>", f"<|end_of_{tag}|>") for tag in ("thought", "box", "musing")),
    *(("&lt;answer&gt;", "&lt;/answer&gt;"), ("\u25c1think\u25b7", "\u25c1/think\u25b7")),
)
LISTED = (
    "(A) no, ", "A: no\n", "(A) flips, (B) grows, (C) turns. ", "- (A) x\n- (B) y\n",
    "1. a\n2. b\n", "A \u2713 B \u2717 ",
    "| A | no |\n", '{"A": false, "B": true} ', "A/B/C/D ", "A, B or C; ", "(A) or (B) or ",
)  # fmt: skip
BLANKS = (" ", "\n", "\t", " \n", "\u00a0", "\r\n", "\n\n\n", ". ", "\u200b")
LABELS_WRITTEN = (
    "A ", "(A)", "A,", "A-", "A.", "[B]", "B:", "'C'", "A'", "3 ", "3.0 ", "12,", "1/2 ", "(1)",
    "option A ", "choice B ",
    "answer: ", "Answer: A\n", "A is ", "is A ", "not A ", "if A ", "A if ", "so A. ", "image A, ", "A -> B ",
)  # fmt: skip
SAID_OF_LABELS = ("", " ", "\n", "is correct ", "fits best. ", "wrong. ", "? ")
FRAGMENTS = (
    '{"answer": "B", ', '"caption": "x y z", ', '{"T1": ["[a] changes from ', '{"captions": [["a","b"],', '"A": {',
    '{"a":{"b":{"c":', '["A",', '\\"', '{"reasoning": "the answer is ',
)  # fmt: skip
BETWEEN = (" ", ", ", ". ", "\n", " (A) ", " B ", " 9 ", ": ", "\u3002")
ANCHORS = sorted(
    {
        anchor
        for module in (answer_tags, conclusions, number, numerals, spelled_labels, statements)
        for value in vars(module).values()
        for pattern in (value if isinstance(value, tuple) else (value,))
        if isinstance(pattern, Anchored)
        for anchor in pattern.anchors
    }
)
SPOKEN = {
    code: [word for text in (language.marks, language.answer, language.condition, language.takes_back, language.joins)
           for word in text.split("|") if word.isalpha()]
    for code, language in LANGUAGES.items()
}  # fmt: skip


def hostile_kind(number: int, length: int) -> str:
    """Return a hostile reply of one kind, of `length` characters."""
    rng = random.Random(f"kind/{number}")
    opening, closing = rng.choice(OPENING), rng.choice(CLOSING)
    inside = length - len(opening) - len(closing)
    return opening + _KINDS[number % len(_KINDS)](inside, rng)[:inside] + closing


def _nest(length: int, rng: random.Random) -> str:
    pairs = [rng.choice(PAIRS) for _ in range(rng.randint(1, 3))]
    opens, closes = "".join(first for first, _ in pairs), "".join(last for _, last in reversed(pairs))
    core = rng.choice(("A", "(B)", "the answer is B", "9", "", " \n"))
    times = (length - len(core)) // len(opens + closes)
    return opens * times + core + closes * times


def _fill(units: Iterable[str], length: int) -> str:
    unit = "".join(units)
    return unit * (length // len(unit) + 1)


def _almost_match(length: int, rng: random.Random) -> str:
    between = rng.choice(BETWEEN)
    return _fill((rng.choice(ANCHORS) + between for _ in range(rng.randint(1, 3))), length)


def _speak(length: int, rng: random.Random) -> str:
    codes, between = rng.sample(list(SPOKEN), rng.randint(1, 4)), rng.choice(BETWEEN)
    return _fill((rng.choice(SPOKEN[code]) + between for code in codes * 3), length)


def _mix_languages(length: int, rng: random.Random) -> str:
    words = [word for code in rng.sample(list(SPOKEN), 3) for word in SPOKEN[code]]
    return "".join(rng.choice(words) + rng.choice(BETWEEN) for _ in range(length // 2))


_KINDS: Sequence[Callable[[int, random.Random], str]] = (
    _nest,
    _almost_match,
    _speak,
    _mix_languages,
    lambda length, rng: _fill([rng.choice(LISTED)], length),
    lambda length, rng: _fill([rng.choice(BLANKS) * rng.choice((1, 7, 40, 200)), rng.choice(LABELS_WRITTEN)], length),
    lambda length, rng: _fill([rng.choice(LABELS_WRITTEN), rng.choice(SAID_OF_LABELS)], length),
    lambda length, rng: _fill([rng.choice(FRAGMENTS)], length),
)
