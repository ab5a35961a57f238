"""Extract the state that a reply's caption describes: "two bottles on a red table".

First the caption is found: in JSON, in tags, after a label, or as a sentence that says everything. Then its values are
extracted.

A state is written down in short: one value of each property, in the shape's order, as in "bottle, two, table, red, on".
A ? stands for a property that the caption leaves open. If it contradicts itself, both values stand, joined by /.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from tetrad.contracts.items import StateCaption
from tetrad.extraction.captions.stated_values import Stated, stated_in
from tetrad.extraction.captions.words import BESIDE, DOUBTFUL, NUMBERS, OTHER
from tetrad.extraction.choice import REFUSAL, ExtractedAnswer
from tetrad.extraction.languages import LANGUAGES
from tetrad.extraction.spoken_statements import is_conditional
from tetrad.extraction.visible_text import count_words, last_words, plain_text, visible_part
from tetrad.late_regex import late_regex

__all__ = ["MOST_WORDS", "extract_caption", "extract_state", "is_state", "state_text", "values_of"]

OPEN = "?"
_BEYOND = (OTHER, BESIDE)
_ENGLISH = LANGUAGES["en"]
_CORRECTED = late_regex(rf"\b(?:{_ENGLISH.takes_back}|{_ENGLISH.instead})[\s,:.!-]*")
_FLAT = late_regex(r"[ \t]+")
# The model chooses the text, so these bound the cost of extraction. All keep the end, where replies conclude.
MOST_WORDS = 384  # of a text that is searched for the sentence that says everything; models' captions have up to 60
_MOST_SENTENCES = 64  # of these
_MOST_PASSAGES = 8  # that are JSON, and as many that have a label; all of either kind share _MOST_PASSED words
_MOST_PASSED = 256
_MOST_CORRECTIONS = 16  # of one sentence
_MOST_PIECEMEAL = 128  # words looked at together if no sentence says everything
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"'})
# A key's value: a text, or a list or an object that holds no other list or object.
_VALUE = (
    r"(?:\"((?:[^\"\\]|\\.)*)(?:\"|\Z)|'((?:[^'\n\\]|\\.|(?<=\w)'(?=\w))*)(?:'|\Z)"
    r"|\{([^{}]*)\}|\[([^\[\]]*)\])"
)
_KEY = r"[\"']{prefix}{word}{suffix}[\"']\s*:\s*" + _VALUE.replace("{", "{{").replace("}", "}}")
# Words around the key's own. An underscore either belongs to a word or ends it, so no text is tried in two ways.
_PREFIX = r"(?:\w{1,60}[ -]){0,3}(?:\w{1,59}_)?"
_SUFFIX = r"(?:[ _-]\w{1,60}(?:[ -]\w{1,60}){0,4})?"
_CAPTION_KEY = late_regex(
    _KEY.format(prefix=_PREFIX, word="caption", suffix=_SUFFIX.replace(r"\w", r"(?!\d)\w")), re.IGNORECASE
)
_OTHER_KEY = late_regex(
    _KEY.format(prefix=_PREFIX, word="(?:answer|result|description|prediction|output|response)", suffix=_SUFFIX),
    re.IGNORECASE,
)
_TAGGED = late_regex(
    r"<(?:final[ _]?)?(?:caption|answer)>([^<]{1,2000})|\\boxed\{(?:\\text\{)?([^}]{1,2000})", re.IGNORECASE
)
_DECORATED = r"[\s*_]{0,6}"
_LABELLED = late_regex(
    r"(?:^|\n)[\s#>*_-]{0,8}+(?:\d[.)]\s{1,3}+)?[*_]{0,3}+(?:(?:so|here(?:'s| is)|and|thus|therefore),? )?(?:the |my )?"
    r"(?:(?:final|target|resulting|predicted|correct|concise|output|new|changed) ){0,2}"
    r"(?P<label>caption|answer|image|result|output|state)"
    r"(?: (?:of|for) (?:the )?(?:(?:resulting|target|final|changed|transformed|query|new) )?(?:image|picture|query)"
    r"(?: \d)?)?(?: (?:is|would be|should be|reads))?"
    rf"{_DECORATED}(?:[:=]{_DECORATED}|\n{_DECORATED})(?=\S)(?P<text>[^\n]+)",
    re.IGNORECASE,
)
_SENTENCE = late_regex(r"(?<=[.!?])[\s)\"'*_]+|\n+")
_CONDITION = late_regex(rf"\b(?:{_ENGLISH.condition})\b", re.IGNORECASE)
_ASKS = late_regex(r"[^\s,?]\?[\s)\"'*_]*\Z")
_CONCLUSION = late_regex(
    r"[,;:.\u2013\u2014-]\s*(?:and )?"
    r"(?:so|thus|therefore|hence|i\.e\.|that is|which (?:gives|yields|makes|means))\b[,:]?\s"
    r"|\b(?:becomes?|turn(?:s|ed)? into|result(?:s|ing) in|gives|giving|makes|yields?|yielding|leads to)\b"
    r"|[;:]\s|->|=>|\u2192|\u21d2"
)
_ASIDE = late_regex(r"\([^()\s]*(?:\s+[^()\s]+){3,80}\s*\)")
_HEDGING_ASIDE = late_regex(
    r"\(\s*(?:or|maybe|perhaps|possibly|alternatively|could|might|unless|if|actually|rather)\b", re.IGNORECASE
)
# "One or two bowls", "at least two", "two (or three)", "two or more": none of them says how many there are.
_LONG_NUMBERS = sorted((word for word in NUMBERS if len(word) > 1 or word.isdigit()), key=len, reverse=True)
_NUMERAL = f"(?:{'|'.join(_LONG_NUMBERS)})"
_OPEN_NUMBER = late_regex(
    rf"\b(?:{_NUMERAL}\s?(?:\bor\b|[-/\u2013])\s?(?:maybe\s|perhaps\s|possibly\s)?{_NUMERAL}"
    rf"|(?:at\s(?:least|most)|(?:more|fewer|less|other)\sthan|up\sto|almost|nearly|roughly|approximately)\s{_NUMERAL}"
    rf"|(?<![^.!?\n]\s)(?<![^.!?\s])(?:maybe|perhaps|possibly)\s{_NUMERAL}"
    rf"|{_NUMERAL}\s(?:\((?:or|maybe|perhaps|possibly)\s{_NUMERAL}\)|or\s(?:more|fewer|so)))(?![-\w])"
    rf"|\A{_NUMERAL}\sto\s{_NUMERAL}(?=\s\w)"
)
# Doubts that follow, as in "two bowls, or maybe three" and "to the left (maybe right)".
_DOUBTED_LATER = late_regex(
    rf"\b{_NUMERAL}(?P<things>(?:\s[a-z]{{1,16}}){{1,3}}),?\s\(?(?:or|maybe|perhaps|possibly)\s(?:maybe\s|perhaps\s|possibly\s)?"
    rf"{_NUMERAL}(?=\s?[,.;)]|\sto\b|\s?\Z)\)?"
)
_OTHER_SIDE = late_regex(
    r"(?P<listed>[,:]\s(?:left|right))?(?:,\s|\s\(?)(?:or|maybe|perhaps|possibly)\s(?:maybe\s|perhaps\s|possibly\s)?"
    r"(?:(?:to|on)\sthe\s)?(?P<side>left|right)(?:\sside)?(?:\)(?P<of>\sof\b)?|(?!\sof\b|\s\w{1,12}\sof\b))"
)
_GIVEN = late_regex(
    r"\b(?:(?:picture|image|figure|panel|photo|img|i)[ #(_-]{0,2}\d|query|source|original(?:ly)?|initial(?:ly)?"
    r"|starting|pair|t1|t2|before|previous(?:ly)?|prior|input|(?:first|second|left|right) (?:picture|image)"
    r"|(?:picture|image) on the (?:left|right))\b"
)
_ASSERTED = late_regex(
    r"\b(?:now|after|becomes?|become|results?|resulting|final|target|would|should|will|must|changed|answer|caption"
    r"|apply|applying|applied|transformed|output)\b"
)
_ABOUT_CHANGES = late_regex(
    r"\b(?:t1|t2|because|since|chang\w+|union|intersection|difference|transformations?|operation|pairs? \d"
    r"|first pair|second pair|both pairs|remains?|stays?|unchanged|same|common|differs?|replac\w+|from|moves?|turns?"
    r"|goes|rules?)\b"
)


def extract_caption(reply: str, shape: StateCaption) -> ExtractedAnswer:
    """Return the state that a reply's caption describes, in short; None if it describes none.

    The first of these counts: a "caption" in JSON; a tag, or a line that begins "Caption:" or the like; the last
    sentence that states everything and is not about a given picture; the whole text. Codes with an answer:
    json-caption, labelled-caption, sentence, whole-text, short-form. Codes without: empty, truncated, refusal,
    no-caption.
    """
    visible = visible_part(reply)
    if not visible:
        return ExtractedAnswer(None, "truncated" if visible is None else "empty")
    if is_state(visible, shape):
        return ExtractedAnswer(visible, "short-form", visible)
    reason, text, stated = _choose_statement(visible)
    if any(stated.values()):
        return ExtractedAnswer(_write_caption(stated, shape.properties), reason, text.strip()[:300])
    refused = REFUSAL.search(plain_text(visible).lower())
    return ExtractedAnswer(None, "refusal" if refused else "no-caption", refused[0] if refused else "")


def extract_state(text: str, properties: Mapping[str, Sequence[str]], *, most: int = MOST_WORDS) -> str:
    """Return the state that a caption by itself describes, in short. Only its last words, up to a limit, count."""
    return _write_caption(_best(last_words(text, most))[1], properties)


def values_of(written: str, properties: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the values written down in short, by property; none for an open property."""
    parts = written.split(", ")
    return {
        name: frozenset() if part == OPEN else frozenset(part.split("/"))
        for name, part in zip(properties, parts, strict=True)
    }


def is_state(text: str, shape: StateCaption) -> bool:
    """Return whether the text is a state in short, right or wrong."""
    parts = text.split(", ")
    if len(parts) != len(shape.properties) or all(part == OPEN for part in parts):
        return False
    return all(
        part == OPEN or all(value in values or value in _BEYOND for value in part.split("/"))
        for part, values in zip(parts, shape.properties.values(), strict=True)
    )


def state_text(shape: StateCaption) -> str:
    """Describe the short form of a state, for the remedy of an error."""
    example = ", ".join(values[-1] for values in shape.properties.values())
    return f"a caption as response, or its values in short, such as {example!r} ({', '.join(shape.properties)})"


def _choose_statement(visible: str) -> tuple[str, str, Stated]:
    """Return the reason code, the deciding part of the text, and the values that it states."""
    for text, _ in _few((text, True) for text in reversed(_json_captions(visible))):
        if any((stated := _best(text)[1]).values()):
            return "json-caption", text, stated
    for text, is_caption in _few(_labelled_captions(visible)):
        stated = _best(text)[1]
        if _is_whole(stated) or (is_caption and any(stated.values())):
            return "labelled-caption", text, stated
    ending = last_words(visible, MOST_WORDS)
    text, stated = _best(ending)
    return "whole-text" if text == ending else "sentence", text, stated


def _few(passages: Iterator[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Yield the passages, which come from the last of the reply to the first, until their words exceed the limit."""
    left = _MOST_PASSED
    for text, is_caption in islice(passages, _MOST_PASSAGES):
        if left:
            yield (kept := last_words(text, left)), is_caption
            left -= count_words(kept)


def _best(text: str) -> tuple[str, Stated]:
    """Return the last sentence that says everything, else the whole text, and the values that it states."""
    text = _drop_open_sentences(text)
    plain = _plain(_remove_asides(text))
    parts = _sentences(plain)[-_MOST_SENTENCES:]
    read = [_apply_corrections(part) for part in parts]
    whole = [at for at, stated in enumerate(read) if _is_whole(stated)]
    if not whole:
        given = [part for part in parts if not _is_about_given(part)]
        outside = _piecemeal(" . ".join(given)) if len(given) < len(parts) else {}
        return text, outside if outside and _is_whole(outside) else _piecemeal(_plain(text))
    at = next((at for at in reversed(whole) if not _is_about_given(parts[at])), whole[-1])
    stated, corrects = read[at], False
    for part, more in zip(parts[at + 1 :], read[at + 1 :], strict=True):
        corrects = corrects or _CORRECTED.match(part.strip()) is not None
        stated = _with(stated, part, more, corrects=corrects)
        corrects = corrects and not any(more.values())
    return text if len(parts) == 1 else parts[at], stated


def _with(stated: Stated, part: str, more: Stated, *, corrects: bool) -> Stated:
    """Add what a later sentence says, if it is about the same picture: it corrects or contradicts."""
    if corrects:
        return {name: values or stated[name] for name, values in more.items()}
    if _is_about_given(part) or _is_about_changes(part):
        return stated
    return {name: values | stated[name] for name, values in more.items()}


def _plain(text: str) -> str:
    flat = _OPEN_NUMBER.sub(DOUBTFUL, _FLAT.sub(" ", plain_text(text).lower()))
    flat = _DOUBTED_LATER.sub(rf"{DOUBTFUL}\g<things>", flat)
    return _OTHER_SIDE.sub(_write_other_side, flat)


def _write_other_side(found: re.Match[str]) -> str:
    """Return the other side that a caption leaves possible, in words that the grammar reads as a second place."""
    if found["listed"]:
        return f"{found['listed']} / {found['side']}"
    return f" or to the {found['side']}{found['of']}" if found["of"] else f" or to its {found['side']} "


def _piecemeal(plain: str) -> Stated:
    return _apply_corrections(last_words(plain, _MOST_PIECEMEAL))


def _apply_corrections(plain: str) -> Stated:
    """Return the values that the text states. Values stated after "wait," or the like replace earlier ones."""
    stated: Stated = {}
    for part in _CORRECTED.split(plain)[-_MOST_CORRECTIONS:]:
        stated = {name: values or stated.get(name, set()) for name, values in stated_in(part).items()}
    return stated


def _is_whole(stated: Stated) -> bool:
    return all(len(values) == 1 for values in stated.values())


def _write_caption(stated: Stated, properties: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(_one(stated.get(name, set()), offered) for name, offered in properties.items())


def _one(values: set[str], offered: Sequence[str]) -> str:
    known = {value if value in offered or value == BESIDE else OTHER for value in values}
    return "/".join(sorted(known)) or OPEN


def _json_captions(visible: str) -> list[str]:
    """Return the texts of keys named for a caption, else for an answer, in order."""
    straight = visible.translate(_QUOTES)
    for pattern in (_CAPTION_KEY, _OTHER_KEY):
        found = [next(filter(None, match.groups()), "") for match in pattern.finditer(straight)]
        if found:
            return found
    return []


def _labelled_captions(visible: str) -> Iterator[tuple[str, bool]]:
    """Yield texts in tags or after a label, last ones first, each with True if the label says that it is a caption.

    A "result" or a "state" may be an intermediate one.
    """
    tagged = [next(filter(None, match.groups()), "") for match in _TAGGED.finditer(visible)]
    yield from ((text, True) for text in reversed(tagged))
    labelled = [
        (match["text"], match["label"].lower() in {"caption", "answer"}) for match in _LABELLED.finditer(visible)
    ]
    yield from reversed(labelled)


def _sentences(text: str) -> list[str]:
    """Split the text into sentences, and those before a word of conclusion, such as "so"."""
    return [part for sentence in _SENTENCE.split(text) for part in _CONCLUSION.split(sentence) if part and part.strip()]


def _drop_open_sentences(text: str) -> str:
    """Remove sentences that ask or depend on a condition: they state nothing. A ? by itself is a value that is open."""
    if "?" not in text and not _CONDITION.search(text):
        return text
    return "\n".join([sentence for sentence in _SENTENCE.split(text) if not _is_open(sentence)])


def _is_open(sentence: str) -> bool:
    if _ASKS.search(sentence, max(0, len(sentence) - 4)):
        return True
    return _CONDITION.search(sentence) is not None and is_conditional(sentence.lower(), 0, len(sentence))


def _remove_asides(text: str) -> str:
    """Remove asides: parentheses of several words. What makes a statement doubtful stays: "(or to its right)"."""
    return _ASIDE.sub(lambda aside: aside[0] if _HEDGING_ASIDE.match(aside[0]) else " ", text)


def _is_about_given(sentence: str) -> bool:
    """Return whether a sentence in lower case is about a picture that was given, not about the changed one."""
    return _GIVEN.search(sentence) is not None and _ASSERTED.search(sentence) is None


def _is_about_changes(sentence: str) -> bool:
    """Return whether a sentence in lower case explains what changes and what does not."""
    return _ABOUT_CHANGES.search(sentence) is not None
