"""Extract the option that a reply chooses among several labelled ones.

The last box decides; else the last explicit statement; else the text of one option, quoted; else the only option named;
else there is no answer. An extractor that guesses moves published scores by points (lmms-eval 50.67, VLMEvalKit 54.78
for one model on one benchmark).
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import msgspec

from tetrad.extraction.answer_lines import answer_line_begins
from tetrad.extraction.conclusions import conclusion_begins, is_proposed, is_unfinished
from tetrad.extraction.enumerations import are_listed, find_chosen, opens_list
from tetrad.extraction.mentions import ASIDE, Mention, is_puzzle_letter, is_written_as_option, option_labels
from tetrad.extraction.question_words import NO_WORDS, QuestionWords
from tetrad.extraction.quoted_options import quoted_option
from tetrad.extraction.spelled_labels import bare_label, write_labels
from tetrad.extraction.statements import (
    are_joined,
    heads_list,
    is_boxed,
    is_likened,
    is_negated,
    is_retracted,
    is_supposed,
    names_picture,
    statement_begins,
)
from tetrad.extraction.visible_text import plain_text, visible_part
from tetrad.late_regex import late_regex

__all__ = ["REFUSAL", "SHORT", "ExtractedAnswer", "extract_choice", "first_mention"]

REFUSAL = late_regex(
    r"\b(?:can't|cannot|can not|could not|couldn't|unable to|not able to|won't|decline to)\s(?:\w{1,24}\s){0,3}?"
    r"(?:help|assist|answer|determine|see|view|provide|process|analy[sz]e|comply|identify|access|tell|solve|choose)\b"
    r"|\bi'm sorry\b|\bi am sorry\b|\bi apologi[sz]e\b|\bas an ai\b"
)
_ASIDE = rf"(?:\s?{ASIDE})?"
_LINE_ENDS = late_regex(rf"{_ASIDE}[\s.:!)\]}}|]{{0,8}}?(?:\n|\Z)")
_REPLY_ENDS = late_regex(rf"{_ASIDE}[ \n.:!)\]}}|]*\Z")
_LEAD_ENDS = late_regex(r"\s?(?:[.):]\s|[-\u2013\u2014,]\s)")
_LINE_BEGINS = late_regex(r"(?:\A|\n)[\s#>*\-\u2022]{0,8}(?:\d{1,2}[.)]\s)?\Z")
_SENTENCE_BEGINS = late_regex(
    r"(?:\A|\n|[.:;!?]\s|,\s(?:while|whereas|but)\s)[\s#>\-\u2022]{0,8}(?:\d{1,2}[.)]\s)?(?:[-\u2022]\s)?\Z"
)
SHORT = 64  # characters: the cache of extracted replies takes less than a megabyte
_LONGEST_LIST_LINE = 80  # characters: "2. Orientation of objects" is an answer, a longer numbered line begins a list
_WEAKER_THAN_QUOTED = frozenset({"lone-option", "no-option", "conflict", "names-several", "incomplete"})
_MENTIONS_SPANNED = 4  # "the transformation that takes A to A' and B to B' is (C)"


class ExtractedAnswer(msgspec.Struct, frozen=True, gc=False):
    """The answer extracted: a label or None, why (a short stable code), and the words that decided it.

    Codes with an answer: explicit-statement, leading-option, quoted-option (an option's own text), lone-option. Codes
    without: empty, truncated (thinking that never closes), incomplete (only named,
    in a reply that isn't complete), refusal, no-option, conflict (several named, none stated; or
    a box quotes another option than the one stated), names-several (a statement that names two), not-an-option (a
    statement of a label that isn't offered), retracted, reader-error (a defect of ours).
    begins_inside_thinking: the reply closes thinking that it never opened. What stands before was not read.
    """

    answer: str | None
    reason: str
    span: str = ""
    begins_inside_thinking: bool = False


class ChoiceExtractor(Protocol):
    """Extract the option that a reply chooses."""

    def __call__(
        self, reply: str, labels: Sequence[str], words: QuestionWords = ..., *, complete: bool = ...
    ) -> ExtractedAnswer: ...


def extract_choice(
    reply: str, labels: Sequence[str], words: QuestionWords = NO_WORDS, *, complete: bool = True
) -> ExtractedAnswer:
    """Return the option that a reply states, or the only one that it names. It never guesses.

    Args:
        reply: a model's whole text, thinking included; `visible_part` drops the thinking.
        labels: the labels offered, such as ("A", "B", "C", "D"); distinct whatever their case, else ValueError.
        words: the options' texts, and whether "image D" is a picture's name and no option.
        complete: whether the reply ended because the model was done. Else an option that is only named is no answer.
    """
    read = (_read_short if len(reply) <= SHORT else _read)(reply, tuple(labels), words.pictures_have_labels)
    if read.reason == "lone-option" and not complete:
        read = ExtractedAnswer(None, "incomplete", read.span)
    if not words.texts:
        return read
    if read.reason in _WEAKER_THAN_QUOTED:
        quoted = _find_quoted(reply, words)
        # "Between B and C" may be an option's text. "The answer is B or C", elsewhere than in the text, stays a hedge.
        is_apart = quoted is not None and read.reason == "names-several" and read.span not in quoted.span
        return read if quoted is None or is_apart else quoted
    if read.answer is None or "box" in read.span.lower() or "box" not in reply:
        return read
    boxed = _find_quoted(reply, words)  # prose states a label and a box quotes a text: they have to be of one option
    return read if boxed is None or boxed.answer == read.answer else ExtractedAnswer(None, "conflict")


def _find_quoted(reply: str, words: QuestionWords) -> ExtractedAnswer | None:
    visible = visible_part(reply) or ""
    if (quoted := quoted_option(visible, words.texts)) is None:
        return None
    label, begins, end = quoted
    return ExtractedAnswer(label, "quoted-option", visible[begins:end].strip())


def _read(reply: str, labels: tuple[str, ...], pictures_have_labels: bool) -> ExtractedAnswer:  # noqa: FBT001 - cached
    options = option_labels(labels)
    if bare := options.bare_reply.fullmatch(reply):
        return ExtractedAnswer(options.offered[bare[1].upper()], "explicit-statement", bare[0].strip())
    visible = visible_part(reply)
    if not visible:
        return ExtractedAnswer(None, "truncated" if visible is None else "empty")
    plain = write_labels(plain_text(visible), labels)
    if (label := bare_label(plain, labels)) is not None:
        return ExtractedAnswer(label, "explicit-statement", visible)
    mentions = options.mentions(plain)
    if pictures_have_labels:
        lowered = plain.lower()
        mentions = [mention for mention in mentions if not names_picture(lowered, mention)]
    return _Extraction(visible, mentions, plain).decide()


# Most models' replies are a letter and a few words, the same ones again and again.
_read_short = lru_cache(maxsize=4096)(_read)


class _Extraction:
    """Extraction from one reply: the reply as written, made plain, and the places that look like options."""

    def __init__(self, visible: str, mentions: list[Mention], plain: str) -> None:
        self.visible = visible
        self.plain = plain
        self.lowered = plain.lower()
        self.mentions = mentions

    def decide(self) -> ExtractedAnswer:
        boxed = [index for index, mention in enumerate(self.mentions) if self._is_boxed(mention)]
        rest = sorted(set(range(len(self.mentions))).difference(boxed))
        for index in reversed([*rest, *boxed]):
            reason, begins = self._statement(index)
            if reason:
                return self._answer_stated(index, reason, begins)
        if (chosen := find_chosen(self.lowered, self._list_offered())) is not None:
            reason = "retracted" if is_retracted(self.lowered, chosen) else "explicit-statement"
            span = self.visible[chosen.start : chosen.end]
            return ExtractedAnswer(None if reason == "retracted" else chosen.label, reason, span)
        likened = [index for index, mention in enumerate(self.mentions) if is_likened(self.lowered, mention)]
        if len({self.mentions[index].label for index in likened}) == 1:
            return self._answer_stated(likened[-1], "explicit-statement", self.mentions[likened[-1]].start)
        return self._lone()

    def _list_offered(self) -> list[Mention]:
        return [mention for mention in self.mentions if mention.label]

    def _is_boxed(self, mention: Mention) -> bool:
        return "box" in self.lowered and is_boxed(self.lowered, mention)

    def _statement(self, index: int) -> tuple[str, int]:
        mention = self.mentions[index]
        since = self.mentions[index - _MENTIONS_SPANNED].end if index >= _MENTIONS_SPANNED else 0
        begins = statement_begins(self.lowered, mention, since)
        if begins is not None and not self._begins_list(index, begins):
            return "explicit-statement", begins
        is_last = index == len(self.mentions) - 1
        begins = conclusion_begins(self.lowered, mention)
        if begins is None and is_last:
            begins = answer_line_begins(self.lowered, mention)
        if begins is not None:
            return "explicit-statement", begins
        if is_last and self._ends_reply(mention):
            return "explicit-statement", mention.start
        return ("leading-option" if index == 0 and self._leads(mention) else ""), mention.start

    def _begins_list(self, index: int, begins: int) -> bool:
        """Return whether the statement is the heading of a list of options, and the option the list's first."""
        first = self.mentions[index]
        if self._stands_alone(first) or not (self._opens_line(first) and heads_list(self.lowered, begins, first)):
            return False
        return any(other.written > first.written and self._opens_line(other) for other in self.mentions[index + 1 :])

    def _opens_line(self, mention: Mention) -> bool:
        return _LINE_BEGINS.search(self.plain, max(0, mention.start - 16), mention.start) is not None

    def _answer_stated(self, index: int, reason: str, begins: int) -> ExtractedAnswer:
        mention = self.mentions[index]
        span = self.visible[begins : mention.end].strip()
        is_headline = reason == "leading-option" and self._stands_alone(mention)
        if not is_headline and self._is_joined(index):
            return ExtractedAnswer(None, "names-several", span)
        if is_retracted(self.lowered, mention):
            return ExtractedAnswer(None, "retracted", span)
        return ExtractedAnswer(mention.label, reason if mention.label else "not-an-option", span)

    def _is_joined(self, index: int) -> bool:
        near = self.mentions[max(0, index - 1) : index + 2]
        return any(are_joined(self.lowered, left, right) for left, right in pairwise(near))

    def _stands_alone(self, mention: Mention) -> bool:
        return mention.firm and mention.begins_line and bool(_LINE_ENDS.match(self.plain, mention.end))

    def _ends_reply(self, mention: Mention) -> bool:
        """Return whether it is the last line, alone, and not the last of a row of headings."""
        if not self._stands_alone(mention) or not _REPLY_ENDS.match(self.plain, mention.end):
            return False
        others = (other for other in self.mentions[1:-1] if other.written != mention.written)
        return not any(self._stands_alone(other) for other in others)

    def _leads(self, mention: Mention) -> bool:
        """Return whether the reply begins with its answer: "(2) The picture ...".

        KiVA's prompt asks for the label first, then for reasons, and those name other options.
        """
        if self.plain[: mention.start].strip(" \n#>-") or self._is_ruled_out(mention):
            return False
        if self._stands_alone(mention):
            return not self._is_enumerated(mention, alone=True)
        if not mention.bracketed and not self._is_set_off(mention):
            return False
        stated = self.plain.startswith(" is the same", mention.end)
        return stated or not self._is_enumerated(mention, alone=False)

    def _is_ruled_out(self, leading: Mention) -> bool:
        """Return whether the option is ruled out, as by "(A) doesn't match".

        "(5) Doesn't apply" is the option's own text, as KiVA words it.
        """
        follows = self.plain[leading.end : leading.end + 16].lstrip()
        return is_negated(self.lowered, leading) and not (follows[:1].isupper() or follows.startswith("doesn't apply"))

    def _is_set_off(self, mention: Mention) -> bool:
        if is_puzzle_letter(self.plain, mention) or not _LEAD_ENDS.match(self.plain, mention.end):
            return False
        one_line = len(self.plain) <= _LONGEST_LIST_LINE and "\n" not in self.plain
        return mention.written.isalpha() or one_line

    def _is_enumerated(self, leading: Mention, *, alone: bool) -> bool:
        """Return whether other options open lines (after a lone heading) or sentences: the first only opens a list."""
        others = [other for other in self.mentions if other.written != leading.written]
        if not alone and opens_list(self.lowered, self._list_offered()):
            return True
        if alone:
            headings = [other for other in others if self._stands_alone(other) and other.bracketed == leading.bracketed]
            is_in_order = bool(headings) and leading.written < headings[0].written
            return is_in_order and not self._is_repeated(leading)
        return any(self._opens_sentence(other) and (other.bracketed or self._is_set_off(other)) for other in others)

    def _is_repeated(self, leading: Mention) -> bool:
        """Return whether the option heads a line again, as in an explanation of each after the answer."""
        return any(other.written == leading.written and self._stands_alone(other) for other in self.mentions[1:])

    def _opens_sentence(self, mention: Mention) -> bool:
        return _SENTENCE_BEGINS.search(self.plain, max(0, mention.start - 16), mention.start) is not None

    def _lone(self) -> ExtractedAnswer:
        named = [mention for mention in self.mentions if mention.label and self._may_be_option(mention)]
        refused = REFUSAL.search(self.lowered)
        supposed = any(is_supposed(self.lowered, mention) or is_proposed(self.lowered, mention) for mention in named)
        if refused or not named or supposed or is_unfinished(self.lowered):
            return (
                ExtractedAnswer(None, "refusal", self.visible[slice(*refused.span())])
                if refused
                else ExtractedAnswer(None, "no-option")
            )
        if len({mention.label for mention in named}) > 1 or are_listed(self.lowered, self._list_offered()):
            return ExtractedAnswer(None, "conflict")
        for mention in named:
            if is_written_as_option(self.visible, self.plain, mention) and not is_negated(self.lowered, mention):
                return ExtractedAnswer(mention.label, "lone-option", self.visible[mention.start : mention.end])
        return ExtractedAnswer(None, "no-option")

    def _may_be_option(self, mention: Mention) -> bool:
        """Return whether a mention counts against a lone option.

        Bare letters do. The article, the pronoun, counts and the letters of the puzzle don't.
        """
        if is_written_as_option(self.visible, self.plain, mention):
            return True
        ordinary = mention.written in ("A", "I") or not mention.written.isalpha()
        return not ordinary and not is_puzzle_letter(self.plain, mention)


def first_mention(
    reply: str, labels: Sequence[str], words: QuestionWords = NO_WORDS, *, complete: bool = True
) -> ExtractedAnswer:
    """Return the label whose literal "(label)" stands earliest, whatever is said of it (KiVA's released scorer)."""
    del words, complete  # the released scorer looks at the text alone
    places = [(place, label) for label in labels if (place := reply.find(f"({label})")) >= 0]
    if not places:
        return ExtractedAnswer(None, "no-option")
    _, label = min(places)
    return ExtractedAnswer(label, "first-mention", f"({label})")
