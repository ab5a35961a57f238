"""Bounds on the cost of reading any caption or diagnosis, counted in tokens and texts read by the grammar."""

import json
import time
from collections.abc import Iterator

import pytest

from tests.unit.tetrad.extraction.caption_replies import READ, UNREAD
from tetrad.contracts.items import AnswerShape, Diagnosis, StateCaption
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.captions import stated_values as captioned
from tetrad.extraction.captions import tokens as caption_tokens
from tetrad.extraction.captions.caption import MOST_WORDS, extract_caption
from tetrad.extraction.captions.tokens import Token
from tetrad.extraction.visible_text import LONGEST_READ, count_words, first_words, last_words
from tetrad.solvers.carv import VALUES

CAPTION = StateCaption(properties=dict(VALUES))
DIAGNOSIS = Diagnosis(properties=dict(VALUES), pairs=2)
MOST_TOKENS = 2500
MOST_PLAIN_TOKENS = 660  # 384 words in sentences, then the last 128 of what is outside of given pictures, and of all
MOST_TEXTS = 400
PLAIN = "{}"
UNITS = (
    "a to ",
    "red to ",
    "to a to a a a a a a ",
    "the answer is two mugs on a red table 1 or ",
    "a. ",
    "wait a ",
    "right ",
    "( a ",
    "and right a ",
    "x becomes ",
    "query a. ",
    "x. x. x and. wait x. ",
    "\nA",
    '"caption": "x x x x x. x. x. "\n',
    "caption: x x x x x. x. x.\n",
    "<caption>the. x. red. ",
    "\\boxed{the. x. red. ",
    "[number] changes from a to a to a; ",
)
# Each took from seconds to hours, by patterns that tried the same characters in many ways.
RETRIED = (
    ('"caption' + "_" * 110 + "x ") * 60,
    ('"' + "_" * 60 + "caption" + "_" * 60) * 60,
    json.dumps({"T1": ["(" * 800 + "a"], "caption": "a"}),
    json.dumps({"T1": ["[object] changes from " + "#" * 7700], "caption": "a"}),
    json.dumps({"T1": ["number" + "-" * 7700], "caption": "a"}),
)


def long(unit: str) -> str:
    return (unit * LONGEST_READ)[: LONGEST_READ - 400]


def diagnosis(unit: str) -> str:
    """Return a diagnosis with as much of this unit in each place as is read, and more."""
    line, text = f"[position] changes from {unit * 12}", unit * 8
    lines = [line[:120]] * 8
    pairs = [[text[:160]] * 4] * 2
    return json.dumps({"captions": pairs, "T1": lines, "T2": lines, "target": lines, "caption": text})


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    ("shape", "reply"),
    [
        (CAPTION, PLAIN),
        (CAPTION, "caption: {}"),
        (CAPTION, '{{"caption": "{}'),
        (CAPTION, '"answer": "x"\ncaption: {}'),
        (DIAGNOSIS, "{}"),
        (
            DIAGNOSIS,
            '{{"captions": [], "T1": ["[position] changes from {}"], "T2": [], "target": [], "caption": "mug"}}',
        ),
        (DIAGNOSIS, '{{"captions": [["{}"]], "T1": [], "T2": [], "target": [], "caption": "a mug"}}'),
        (DIAGNOSIS, ""),
    ],
)
def test_the_grammar_reads_a_bounded_number_of_tokens(
    shape: AnswerShape, reply: str, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    read: list[Token] = []

    def counted(text: str) -> Iterator[Token]:
        texts.append(text)
        found = list(caption_tokens.tokens(text))
        read.extend(found)
        return iter(found)

    monkeypatch.setattr(captioned, "tokens", counted)
    extract_answer(shape, None, reply.format(long(unit)) if reply else diagnosis(unit))
    assert len(read) <= (MOST_PLAIN_TOKENS if reply == PLAIN and ":" not in unit and "<" not in unit else MOST_TOKENS)
    assert len(texts) <= MOST_TEXTS


@pytest.mark.parametrize("reply", RETRIED, ids=range(len(RETRIED)))
@pytest.mark.parametrize("shape", [CAPTION, DIAGNOSIS])
def test_no_pattern_tries_the_same_characters_in_many_ways(shape: AnswerShape, reply: str) -> None:
    begun = time.process_time()
    extract_answer(shape, None, reply)
    assert time.process_time() - begun < 0.3  # about 0.01 s


def test_tokens_are_those_of_all_kinds_tried_everywhere() -> None:
    def slowly(text: str) -> Iterator[Token]:
        every = caption_tokens._ORDER
        caption_tokens._beginning_with.cache_clear()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(caption_tokens, "_ORDER", tuple((kind, "", pattern) for kind, _, pattern in every))
            yield from caption_tokens.tokens(text)
        caption_tokens._beginning_with.cache_clear()

    text = (
        " . ".join(reply for reply, _ in [*READ, *UNREAD]).lower()
        + " a house-plant, mug cup and saucer; two cups turn, turns red"
    )
    assert list(caption_tokens.tokens(text)) == list(slowly(text))


def test_what_a_long_reply_says_in_its_last_words_is_read() -> None:
    said = "Two mugs on a red table."
    filler = "It seems so to us. " * 400
    assert extract_caption(filler + said, CAPTION).reason == "sentence"
    assert extract_caption(f"{filler}\nCaption: {said}", CAPTION).reason == "labelled-caption"
    assert extract_caption(f'{{"caption": "{said}"}} {filler[:4000]}', CAPTION).reason == "json-caption"
    assert extract_caption(f"{said} {filler}", CAPTION).answer is None


def test_words_are_counted_from_either_end() -> None:
    text = "one, two\nthree"
    assert count_words(text) == 5
    assert [last_words(text, most) for most in (1, 2, 4, 5)] == ["three", "\nthree", ", two\nthree", text]
    assert [first_words(text, most) for most in (1, 2, 4, 5)] == ["one", "one, ", "one, two\n", text]
    assert count_words(last_words("a. " * 9000, MOST_WORDS)) == MOST_WORDS
