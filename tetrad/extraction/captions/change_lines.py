"""Extract the changes that the lines of a decomposition name: "[number] changes from one to two".

A change in short is "subject_number: one > two". A faulty line gives its fault instead. There are three faults: the
line names something specific instead of a general concept ("position of the cup"), bundles properties, or states no
change. A line that says that something stays as it is gives nothing.
"""

from collections.abc import Mapping, Sequence
from itertools import islice

from tetrad.extraction.captions.stated_values import Stated, stated_in
from tetrad.extraction.captions.words import NUMBERS
from tetrad.extraction.visible_text import first_words, plain_text
from tetrad.late_regex import late_regex

__all__ = ["BUNDLED", "MOST_LINES", "OVER_SPECIFIC", "UNCLEAR", "extract_changes", "is_change"]

BUNDLED, OVER_SPECIFIC, UNCLEAR = "bundled", "over-specific", "unclear"
_LINE = late_regex(
    r"(?:\W*+|)(?P<concept>[^:>\n]{0,80}?)\W{0,8}(?:\b(?:is |has |gets |was )?"
    r"(?:changes?|changed|goes|switch(?:es|ed)|turn(?:s|ed)|becomes?|increases?|decreases?)\b:?|:|(?<=\]))\s?(?:from\b)?"
    r"(?P<values>.+)"
)
_BETWEEN = late_regex(r"\W{1,8}(?:in)?to\W{1,8}|\s{0,8}(?:->|=>|\u2192|\u21d2)\s{0,8}")
_UNCHANGED = late_regex(
    r"\b(?:remains?|stays?|unchanged|does(?:n't| not) change|no changes?|(?:is|are) the same|keeps?|none|nothing)\b"
)
_SPLIT = late_regex(
    r"\n|;|(?<=[\w\])'\"])\.\s+|(?<=[\w\]])(?:, (?:and )?| and )(?=\[)"
    r"|, (?:and )?(?=(?:the )?(?:\w+ ){1,3}(?:changes|goes|turns) from\b)"
)
_COUNTED = late_regex(r"\w+")
_WORD = late_regex(r"[a-z']+")
# Concepts of one property, and those whose property depends on the values.
_CONCEPTS: Mapping[str, str] = {
    "subject_number": "number quantity count amount",
    "object_color": "color colour material texture finish shade hue",
    "spatial_relation": "position location placement relation relationship",
}
_PROPERTY = {word: name for name, words in _CONCEPTS.items() for word in words.split()}
_THINGS = frozenset({"subject", "object", "item", "thing", "type", "kind", "category", "identity"})
_FURNITURE = frozenset({"furniture", "piece", "support", "surface"})
_FILLING = frozenset(
    {"the", "a", "an", "of", "s", "spatial", "reference", "main", "its", "in", "and", "to", "relative"}
)
_COUNTS = {**NUMBERS, "double": "two", "couple": "two"}
_ARTICLES = frozenset({"a", "an"})
_PAIRS = {"pair": "two"}  # of nothing that is named: "from one to a pair"
# The model chooses the text, so these bound the cost of extraction.
MOST_LINES = 6  # last lines of one pair or of the target; a pair differs in at most five properties
_MOST_SPLITS = 4  # places at which we try to divide a line
_MOST_SPLITS_IN_ALL = 12
_MOST_WORDS = 40  # of a line, the first
_MOST_BARE = 8  # words of a side that may stand for its value alone


def extract_changes(text: str, properties: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the change or fault of each of the last MOST_LINES lines, in short; lines without any are left out."""
    plain = plain_text(text).lower()
    lines = [line for line in _SPLIT.split(plain) if _WORD.search(line) and not _UNCHANGED.search(line)]
    last = [first_words(line, _MOST_WORDS) for line in lines[-MOST_LINES:]]
    splits = min(_MOST_SPLITS, _MOST_SPLITS_IN_ALL // max(1, len(last)))
    return [_change(line, properties, splits) for line in last]


def is_change(text: str, properties: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the text is a change in short, right or wrong, or a fault."""
    if text in {BUNDLED, OVER_SPECIFIC, UNCLEAR}:
        return True
    name, _, values = text.partition(": ")
    return name in properties and all(value in properties[name] for value in values.split(" > "))


def _change(line: str, properties: Mapping[str, Sequence[str]], splits: int) -> str:
    found = _LINE.fullmatch(line)
    if found is None:
        return UNCLEAR
    allowed = _find_properties(found["concept"])
    if allowed is None:
        return OVER_SPECIFIC
    # "from to the left to to the right": divide at the first place where both sides make sense
    text = found["values"]
    divided = [(text[: at.start()], text[at.end() :]) for at in islice(_BETWEEN.finditer(text), splits)]
    fault = UNCLEAR
    for old, new in divided:
        read = _of_values(old, new, allowed, properties) if old.strip() else UNCLEAR
        if read not in {BUNDLED, UNCLEAR}:
            return read
        fault = BUNDLED if read == BUNDLED else fault
    return fault


def _of_values(old: str, new: str, allowed: frozenset[str], properties: Mapping[str, Sequence[str]]) -> str:
    """Return the change between two sides, or the fault.

    A property that only one side names does not change: "from one to two mugs", "from on the table to the left".
    """
    before = _values(old, allowed)
    if not any(before.values()):
        return UNCLEAR
    after = _values(new, allowed)
    differing = [name for name in properties if before[name] and after[name] and before[name] != after[name]]
    if len(differing) != 1:
        return BUNDLED if differing else UNCLEAR
    [name] = differing
    if name not in allowed or not (len(before[name]) == len(after[name]) == 1):
        return UNCLEAR
    [was], [now] = before[name], after[name]
    return f"{name}: {was} > {now}" if was in properties[name] and now in properties[name] else UNCLEAR


def _find_properties(concept: str) -> frozenset[str] | None:
    """Return the properties that a general concept may be about; None if the text is no general concept."""
    words = [_singular(word) for word in _WORD.findall(concept.replace("_", " "))]
    named = [word for word in words if word not in _FILLING]
    if not named or any(word not in _PROPERTY and word not in _THINGS | _FURNITURE for word in named):
        return None
    told = {_PROPERTY[word] for word in named if word in _PROPERTY}
    if told:
        return frozenset(told) if len(told) == 1 else frozenset()
    return frozenset({"object"} if _FURNITURE & set(named) else {"subject", "object"})


def _singular(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _values(text: str, allowed: frozenset[str]) -> Stated:
    """Return the values that one side of a change names. Bare words stand for their value, whatever they describe."""
    stated = stated_in(f" {text} ")
    word, words = text.strip(" .'\"[]()").removeprefix("the "), _COUNTED.findall(text)
    counts = [_COUNTS[word] for word in words if word in _COUNTS and word not in _ARTICLES]
    if allowed == {"subject_number"} and not stated["subject"]:
        counts = counts or [_PAIRS[word] for word in words if word in _PAIRS]
        stated["subject_number"] = set(counts)
    elif not counts and not set(words) & _ARTICLES and "subject_number" not in allowed:
        stated["subject_number"] = set()  # a bare noun's form is no statement of a number here
    if len(words) > _MOST_BARE:
        return stated
    if not stated["object"] and not stated["subject"]:
        stated["object_color"] |= stated_in(f"{word} table")["object_color"]
    if "spatial_relation" in allowed and not stated["spatial_relation"]:
        stated["spatial_relation"] |= stated_in(f"position: {word}")["spatial_relation"]
    return stated
