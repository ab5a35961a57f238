"""Drop a model's thinking from its reply: only what it says after that is its word.

Models mark their thinking with tags of many names, in any case, with or without a namespace, in several styles of
brackets: `<think>`, `[THINK]`, `<|START_THINKING|>`, `<|begin_of_thought|>`. gpt-oss and Gemma write channels. Some
chat templates open the thinking in the prompt, so that the reply holds the closing tag alone.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from tetrad.extraction.answer_tags import ANSWER_TAG_NAMES
from tetrad.late_regex import late_regex

__all__ = ["Spoken", "begins_inside_thinking", "drop_thinking"]

# The names of tags, in lower case. What is in neither table and opens a reply as a pair is thinking too, unless it is
# HTML or a token of a chat template.
THINKING_NAMES = (
    "think(?:ing)?",
    "thoughts?",
    "reason(?:ing|s)?",
    "analys[ie]s",
    "reflect(?:ions?)?",
    "scratch[_-]?pad",
    "(?:inner|internal)[_-]?(?:monologue|thoughts?|voice|reasoning)",
    "monologue",
    "deliberation",
    "cot",
    "chain[_-]of[_-]thought",
    "rationale",
    "brainstorm(?:ing)?",
    "contemplat(?:ion|or)",
    "plan(?:ning)?",
    "details",
)
_HTML = (
    "a abbr article b bdi big blockquote body br center cite code col dd del dfn div dl dt em figure font footer h1 h2"
    " h3 h4 h5 h6 head header hr html i img ins kbd li main mark math mi mn mo mrow ol p pre q s samp section small"
    " span strike strong sub summary sup svg table tbody td text th thead title tr tt u ul var"
)
_TEMPLATE = "bos eos pad unk image picture video start_of_turn end_of_turn assistant model message content unused94"
_NO_CONTENT = frozenset([*_HTML.split(), *_TEMPLATE.split()])
"""Names of HTML, of a chat template's tokens and of plain wrapping: such a tag is no thinking."""

_NAMESPACE = r"(?:[a-z]\w{0,15}[:_.-]|ant)?"
_THOUGHT = rf"{_NAMESPACE}(?:{'|'.join(THINKING_NAMES)})(?:[:_-]\w{{1,40}})?"
_BAR = "[|\uff5c]"
# For text in lower case, because a pattern that ignores case searches at half the speed. It begins with a set of
# characters: to these the search skips. What follows tells by its second character most of them from tags.
_TAG = late_regex(
    r"[<&\[\u25c1](?=[\s/a-z|\uff5c])(?:"
    rf"(?:(?<!&)|(?<=&)lt;)\s?(?P<closes>/\s?)?(?=[a-z]){_THOUGHT}(?:\s[^<>\[\]]{{0,80}})?\s?(?:>|&gt;|\]|\u25b7)"
    rf"|(?<=\[)(?:(?P<heading>\s?(?:{'|'.join(ANSWER_TAG_NAMES)})\s?\])|(?P<square_end>(?:eos|/inst)\]))"  # "[Answer]"
    r"|(?<=<)(?:(?P<unused_opens>unused94>)|(?P<unused_closes>unused95>)"  # MedGemma
    rf"|(?P<leaves>channel{_BAR}>)|{_BAR}channel{_BAR}?>\s?(?P<channel>[a-z]{{1,24}})"
    rf"[ ]?(?:<{_BAR}constrain{_BAR}>\s?\w{{1,16}})?(?:<{_BAR}message{_BAR}>)?"
    rf"|{_BAR}\s?(?P<token>/?[a-z_\u2581]{{1,48}})\s?{_BAR}>"
    r"|(?P<end>/s>|(?:eos|pad|eot|end_of_(?:turn|text|utterance|sentence))>)))"
)
_OPENS, _CLOSES, _ENDS, _HEADS, _OTHER = "opens", "closes", "ends", "heads", ""
_ENDING = (
    "im_end eot_id eot eom_id eom endoftext end_of_text return eos end_of_turn eod end_response end_of_response pad"
    " im_sep end_of_sentence end_of_message endofassistant end_of_turn_token"
)
_END_TOKENS = frozenset(_ENDING.split())
_TOKEN_OPENS = late_regex(rf"(?:(?:start|begin|open)_(?:of_)?)?{_THOUGHT}|{_THOUGHT}_(?:start|begin)|inner_prefix")
_TOKEN_CLOSES = late_regex(rf"(?:/|(?:end|close|stop)_(?:of_)?){_THOUGHT}|{_THOUGHT}_(?:end|stop)|inner_suffix")
_FINAL_CHANNEL = late_regex(r"(?:assistant)?(?:final|answer|response|output|content|text)")
# What may stand before a reply's first word: tokens of chat templates.
_BEFORE = late_regex(r"(?:\s{1,80}|<\|?/?(?:s|bos|begin_of_text|im_start|start_of_turn|model|assistant)\|?>){0,16}")
_FIRST_TAG = late_regex(
    r"<\s?(?P<angle>[a-z][\w:.-]{2,40})(?:\s[^<>]{0,80})?>|\[\s?(?P<square>[a-z][\w:.-]{2,40})\s?\]"
    r"|<\|(?:start|begin)_of_(?P<token_of>\w{3,40})\|>|<\|(?:start|begin)_(?P<token>\w{3,40})\|>"
    r"|```\s?(?P<fence>think\w{0,8}|thoughts?|reasoning|analysis)\s?\n"
    r"|(?P<spoken>here(?:'s|\u2019s| is) my (?:thought|thinking|reasoning) process:)"
    r"|(?P<harmony>(?-i:analysis)(?=(?-i:[A-Z\"'(])))",
    re.IGNORECASE,
)
_ENDINGS = {
    "angle": "</{}>",
    "square": "[/{}]",
    "token": "<|end_{}|>",
    "token_of": "<|end_of_{}|>",
    "fence": "\n```",
    "spoken": "here is my response:",
    "harmony": "assistantfinal",
}
_NAMED = frozenset({"angle", "square", "token", "token_of"})
_THINKING_NAME = late_regex(_THOUGHT, re.IGNORECASE)
_ANSWER_NAME = late_regex("|".join(ANSWER_TAG_NAMES), re.IGNORECASE)
_WORD = late_regex(r"\w")
_ROLE = late_regex(r"\s{0,8}(?:<\|start\|>)?(?:assistant)?\s{0,8}")  # before "<|channel|>final"
_LONGEST_BARE = 12  # characters before a closing tag that ends a reply: "(B)</think>" is an answer, a sentence is not


class Spoken(NamedTuple):
    """The part of a reply that is said after its thinking.

    begins: the offset of this text in the reply. ends: the offset after it. is_open: whether the thinking never closed,
    so that nothing is said; the text is then empty. begins_inside: whether the reply closes thinking that it never
    opened, because a chat template opened it or because the beginning was cut off.
    """

    text: str
    begins: int
    ends: int
    is_open: bool
    begins_inside: bool = False


@lru_cache(maxsize=8)  # one reply is asked for several times while it is read
def drop_thinking(reply: str) -> Spoken:
    """Return what a reply says when its thinking is over, stripped.

    Thinking that never closes leaves nothing. Text before a closing tag without an opening one is thinking; such a tag
    at the very end of what is said is no content. Of several parts around thinking, the last that has a word counts.
    """
    begins, is_open = _skip_leading(reply)
    if is_open:
        return Spoken("", len(reply), len(reply), is_open=True)
    parts, is_open, begins_inside = _spoken_parts(reply, begins)
    if is_open:
        return Spoken("", len(reply), len(reply), is_open=True)
    begins, ends = next((part for part in reversed(parts) if _WORD.search(reply, *part)), parts[-1])
    text = reply[begins:ends]
    begins += len(text) - len(text.lstrip())
    return Spoken(text.strip(), begins, ends, is_open=False, begins_inside=begins_inside)


def begins_inside_thinking(reply: str) -> bool:
    """Return whether a reply closes thinking that it never opened."""
    return _may_hold_tags(reply) and drop_thinking(reply).begins_inside


def _skip_leading(reply: str) -> tuple[int, bool]:
    """Return where the reply goes on after the paired tags that open it, and whether the last of them never closes.

    Only tags whose names are in no table are looked at here.
    """
    at, lowered = 0, ""
    while (first := _first_tag(reply, at)) is not None:
        group = first.lastgroup or ""
        name = first[group].lower()
        if group in _NAMED and _is_known(name):
            break
        lowered = lowered or _lower_ascii(reply)
        ending = _ENDINGS[group].format(name)
        closes = lowered.find(ending, first.end())
        if closes < 0:
            return at, group != "square"
        at = closes + len(ending)
    return at, False


def _first_tag(reply: str, at: int) -> re.Match[str] | None:
    before = _BEFORE.match(reply, at)
    return _FIRST_TAG.match(reply, before.end() if before else at)


def _spoken_parts(reply: str, begins: int) -> tuple[list[tuple[int, int]], bool, bool]:
    """Return the parts of a reply outside its thinking, and whether thinking is open at its end and at its begin."""
    tags = _find_tags(reply, begins)
    last = _last_said(reply, tags)
    parts: list[tuple[int, int]] = []
    is_open, is_heading, opened, surplus, begins_inside = False, False, 0, 0, False
    for kind, tag_begins, tag_ends in tags:
        if kind == _OPENS:
            if not is_open:
                parts.append((begins, tag_begins))
            surplus += is_open
            is_open, opened, is_heading = True, opened + 1, reply[tag_begins] == "["
        elif kind == _HEADS and is_open and is_heading:
            begins, is_open = tag_ends, False
        elif kind == _CLOSES:
            is_stray, is_nested = not is_open, surplus > 0
            if is_stray and tag_begins < last:
                parts.clear()  # what stands before belongs to thinking whose opening tag is missing
            elif is_stray and not is_nested and (opened or len(reply[begins:tag_begins].strip()) <= _LONGEST_BARE):
                parts.append((begins, tag_begins))
                is_stray = False  # it closes nothing
            begins_inside |= is_stray and not opened and not _ROLE.fullmatch(reply, begins, tag_begins)
            surplus -= is_stray and is_nested
            begins, is_open = tag_ends, False
        elif kind == _ENDS and not is_open and _WORD.search(reply, begins, tag_begins):
            return [*parts, (begins, tag_begins)], False, begins_inside
    return [*parts, (begins, len(reply))], is_open, begins_inside


def _find_tags(reply: str, begins: int) -> list[tuple[str, int, int]]:
    """Return the kind, the begin and the end of each tag from a place on. A kind is looked up once for each tag."""
    kinds: dict[str, str] = {}
    tags: list[tuple[str, int, int]] = []
    if not _may_hold_tags(reply):
        return tags
    for found in _TAG.finditer(_lower_ascii(reply), begins):
        kind = kinds.get(found[0])
        if kind is None:
            kind = kinds[found[0]] = _kind_of(found)
        tags.append((kind, *found.span()))
    return tags


def _may_hold_tags(reply: str) -> bool:
    return "<" in reply or "[" in reply or "&" in reply or "\u25c1" in reply


def _last_said(reply: str, tags: list[tuple[str, int, int]]) -> int:
    """Return where the last word outside tags stands, or before."""
    ends = len(reply)
    for _, tag_begins, tag_ends in reversed(tags):
        if tag_ends < ends and _WORD.search(reply, tag_ends, ends):
            return ends
        ends = tag_begins
    return ends


def _kind_of(found: re.Match[str]) -> str:
    group = found.lastgroup
    if group is None or group == "unused_opens":
        return _OPENS
    if group == "token":
        return _kind_of_token(found[group].replace("\u2581", "_"))
    if group == "channel":
        return _kind_of_channel(found[group])
    return {"end": _ENDS, "square_end": _ENDS, "heading": _HEADS}.get(group, _CLOSES)


@lru_cache(maxsize=256)
def _kind_of_channel(name: str) -> str:
    return _CLOSES if _FINAL_CHANNEL.fullmatch(name) else _OPENS


@lru_cache(maxsize=256)
def _kind_of_token(name: str) -> str:
    if name in _END_TOKENS:
        return _ENDS
    if _TOKEN_CLOSES.fullmatch(name):
        return _CLOSES
    return _OPENS if _TOKEN_OPENS.fullmatch(name) else _OTHER


@lru_cache(maxsize=1024)
def _is_known(name: str) -> bool:
    """Return whether a tag of this name needs no guess: thinking, the answer, HTML, or a token of a chat template."""
    tables = (_THINKING_NAME, _ANSWER_NAME)
    return name in _NO_CONTENT or any(table.fullmatch(name) is not None for table in tables)


def _lower_ascii(text: str) -> str:
    """Return the text in lower case, as long as it was."""
    return text.replace("\u0130", "I").lower()
