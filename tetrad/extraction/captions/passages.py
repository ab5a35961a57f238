"""Where in a reply its caption is: JSON, tags, a label, or a sentence that says everything."""

import re
from collections.abc import Iterator

__all__ = ["asserted", "is_about_changes", "is_about_given", "json_captions", "labelled_captions", "sentences"]

_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"'})
# A key's value: a text, or all of a list or an object without others in it.
_VALUE = (
    r"(?:\"((?:[^\"\\]|\\.)*)(?:\"|\Z)|'((?:[^'\n\\]|\\.|(?<=\w)'(?=\w))*)(?:'|\Z)"
    r"|\{([^{}]*)\}|\[([^\[\]]*)\])"
)
_KEY = r"[\"']{prefix}{word}{suffix}[\"']\s*:\s*" + _VALUE.replace("{", "{{").replace("}", "}}")
# Words around the key's own, in one way only: an underscore is a letter of a word or its end, never tried as both.
_PREFIX = r"(?:\w{1,60}[ -]){0,3}(?:\w{1,59}_)?"
_SUFFIX = r"(?:[ _-]\w{1,60}(?:[ -]\w{1,60}){0,4})?"
_CAPTION_KEY = re.compile(
    _KEY.format(prefix=_PREFIX, word="caption", suffix=_SUFFIX.replace(r"\w", r"(?!\d)\w")), re.IGNORECASE
)
_OTHER_KEY = re.compile(
    _KEY.format(prefix=_PREFIX, word="(?:answer|result|description|prediction|output|response)", suffix=_SUFFIX),
    re.IGNORECASE,
)
_TAGGED = re.compile(
    r"<(?:final[ _]?)?(?:caption|answer)>([^<]{1,2000})|\\boxed\{(?:\\text\{)?([^}]{1,2000})", re.IGNORECASE
)
_DECORATED = r"[\s*_]{0,6}"
_LABELLED = re.compile(
    r"(?:^|\n)[\s#>*_-]{0,8}+(?:\d[.)]\s{1,3}+)?[*_]{0,3}+(?:(?:so|here(?:'s| is)|and|thus|therefore),? )?(?:the |my )?"
    r"(?:(?:final|target|resulting|predicted|correct|concise|output|new|changed) ){0,2}"
    r"(?P<label>caption|answer|image|result|output|state)"
    r"(?: (?:of|for) (?:the )?(?:(?:resulting|target|final|changed|transformed|query|new) )?(?:image|picture|query)"
    r"(?: \d)?)?(?: (?:is|would be|should be|reads))?"
    rf"{_DECORATED}(?:[:=]{_DECORATED}|\n{_DECORATED})(?=\S)(?P<text>[^\n]+)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])[\s)\"'*_]+|\n+")
_CONCLUSION = re.compile(
    r"[,;:.\u2013\u2014-]\s*(?:and )?"
    r"(?:so|thus|therefore|hence|i\.e\.|that is|which (?:gives|yields|makes|means))\b[,:]?\s"
    r"|\b(?:becomes?|turn(?:s|ed)? into|result(?:s|ing) in|gives|giving|makes|yields?|yielding|leads to)\b"
    r"|[;:]\s|->|=>|\u2192|\u21d2"
)
_ASIDE = re.compile(r"\([^()\s]*(?:\s+[^()\s]+){3,80}\s*\)")
_GIVEN = re.compile(
    r"\b(?:(?:picture|image|figure|panel|photo|img|i)[ #(_-]{0,2}\d|query|source|original(?:ly)?|initial(?:ly)?"
    r"|starting|pair|t1|t2|before|previous(?:ly)?|prior|input|(?:first|second|left|right) (?:picture|image)"
    r"|(?:picture|image) on the (?:left|right))\b"
)
_ASSERTED = re.compile(
    r"\b(?:now|after|becomes?|become|results?|resulting|final|target|would|should|will|must|changed|answer|caption"
    r"|apply|applying|applied|transformed|output)\b"
)
_ABOUT_CHANGES = re.compile(
    r"\b(?:t1|t2|because|since|chang\w+|union|intersection|difference|transformations?|operation|pairs? \d"
    r"|first pair|second pair|both pairs|remains?|stays?|unchanged|same|common|differs?|replac\w+|from|moves?|turns?"
    r"|goes|rules?)\b"
)


def json_captions(visible: str) -> list[str]:
    """Return the texts of keys named for a caption, else for an answer, in order."""
    straight = visible.translate(_QUOTES)
    for pattern in (_CAPTION_KEY, _OTHER_KEY):
        found = [next(filter(None, match.groups()), "") for match in pattern.finditer(straight)]
        if found:
            return found
    return []


def labelled_captions(visible: str) -> Iterator[tuple[str, bool]]:
    """Yield texts in tags or after a label, the last ones first, and whether their label says that they are captions.

    A "result" or a "state" may be that of a step.
    """
    tagged = [next(filter(None, match.groups()), "") for match in _TAGGED.finditer(visible)]
    yield from ((text, True) for text in reversed(tagged))
    labelled = [
        (match["text"], match["label"].lower() in {"caption", "answer"}) for match in _LABELLED.finditer(visible)
    ]
    yield from reversed(labelled)


def sentences(text: str) -> list[str]:
    """Return the sentences, and what follows a conclusion's word by itself."""
    return [part for sentence in _SENTENCE.split(text) for part in _CONCLUSION.split(sentence) if part and part.strip()]


def asserted(text: str) -> str:
    """Leave out what is said aside, in parentheses of several words."""
    return _ASIDE.sub(" ", text)


def is_about_given(sentence: str) -> bool:
    """Is a sentence, in lower case, about a picture that was given, not about the changed one."""
    return _GIVEN.search(sentence) is not None and _ASSERTED.search(sentence) is None


def is_about_changes(sentence: str) -> bool:
    """Does a sentence, in lower case, explain what changes and what does not."""
    return _ABOUT_CHANGES.search(sentence) is not None
