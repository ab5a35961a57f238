"""Ask a model for a question about D, read what it wrote, and refuse what breaks the rules of the paper's appendix A.

A draft is one JSON object: rationale, question, four options, explanation, answer. The writer is shown C, D and the
steps; whoever answers sees neither D nor the steps, so the draft's question and options name none of them.
"""

import base64
import re
from collections.abc import Iterator, Sequence

import msgspec

from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.spec import LABELS, ORACLE
from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, TextPart
from tetrad.contracts.items import Choice, Option, Picture, Question

LONGEST_QUESTION, LONGEST_OPTION = 300, 160  # characters
UNEVEN = 2.0
"""How many times as long as the shortest option the longest may be, beyond SHORT characters."""
SHORT = 24
_ASKED = """\
Image C was edited, and the result is image D. The edit's steps, in order: {steps}.
Write one question about image D, with four options of which exactly one is true of D.
Rules:
- Somebody else answers it who sees image C and not image D, and who has to work out the whole edit. Leaving out a \
step, taking a wrong amount of it, or another order must lead to a wrong option.
- Question and options state what is to be seen: things, their places, their directions, their colours. They never \
name an edit, a change, the images, or a time (no "rotated", "after", "now", "becomes", "image C").
- Ask about what is large and plain. Options are of about the same length and form.
- In the reasons, name options by their words and not by letters: they are asked in another order.
Reply with one JSON object and nothing else:
{{"rationale": "why the whole edit is needed", "question": "...", "options": ["...", "...", "...", "..."], \
"explanation": "why one is right, and which mistake leads to each other one", "answer": "A, B, C or D"}}"""
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_TELLING = re.compile(
    r"""\b(?:
    # steps by their names
    rotat\w* | flip(?![-\s]?(?:flop|chart|phone)|per)\w* | zoom\w* | cropp(?:ed|ing) | swap\w* | exchang(?:ed|es|ing) |
    mirroring | mirror[-\s]images? | mirrored\s(?:copy|version|across|along|about|from) |
    hue[-\s](?:shift|rotat)\w* | re-?colou?r\w* |
    # verbs of change
    turned(?![-\s](?:on|off)\b(?!\s(?:its|his|her|their|the|an?)\b)) |
    turn(?:s|ing)?\s(?:into|around|over|upside|sideways|(?:counter-?)?clockwise) |
    shift(?:ed|ing) | moved | relocat\w* | displac\w* | reposition\w* | transpos\w* | removed | replaced |
    rearrange\w* | rearranging |
    invert(?:ed|s|ing)? | inversion | reversed | enlarg\w* | magnif(?:ied|ies|ying|ication) | shrunk |
    re-?size[ds]? | re-?sizing | re-?scal(?:ed|ing) | transform(?!er)\w* | edit(?:ed|s|ing)? | (?:un|inter)?chang\w* |
    alter(?:ed|ing|ation\w*) | modif\w* | adjusted | convert(?:ed|s|ing) | bec[ao]m\w* | end(?:s|ed)?\sup |
    # times and reasons
    after | before | now | once\s\w+ed | no\slonger | any\s?more | previously | formerly | original\w* | result\w* |
    # the task
    analog(?:y|ies|ous|ously) | simulat\w*
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that imply a change, or name a step (appendix A, part 3).

States are allowed that need no change: a mirror, a lamp that is turned on, letters that are upside down and mirrored
(as in an option of the paper's figure 1).
"""
_PICTURE = re.compile(
    r"""\b(?:
    (?i:images?|pictures?|photos?|photographs?|panels?|frames?|figures?)\s["'(]?(?:[A-D]|[b-d])\b |
    (?:of|in|from|to|than|like|into)\s[A-D]\b(?![-&+]) |
    [A-D]['\u2019]s\b |
    (?i:(?:first|second|third|fourth|other|next|previous|new|old)\simages?)\b |
    (?i:(?:final|source|target|hidden|unseen|edited|given|initial)\s(?:image|picture|photo|photograph)s?)\b
    )""",
    re.VERBOSE,
)
"""Mentions of A, B, C or D. A small a is an article."""


_EMPTY = re.compile(r"\W*[A-Da-d]?\W*")
"""An option that is no more than a label, or dots, as in the form that the request shows."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the writer gave it. answer: the letter of the right option."""

    question: str
    options: list[str]
    answer: str
    rationale: str = ""
    explanation: str = ""


def asking(steps: Sequence[str], source: bytes, target: bytes) -> list[Message]:
    """Return the request for a question: C and D as PNG bytes, and the steps in words."""
    parts: list[ContentPart] = [
        TextPart(text=_ASKED.format(steps="; ".join(steps))),
        *(part for name, body in (("C", source), ("D", target)) for part in _show_picture(name, body)),
    ]
    return [Message(role="user", content=parts)]


def _show_picture(name: str, body: bytes) -> tuple[ContentPart, ContentPart]:
    address = "data:image/png;base64," + base64.b64encode(body).decode("ascii")
    return TextPart(text=f"Image {name}."), ImagePart(image_url=ImageAddress(url=address))


def read_draft(reply: str) -> Draft | None:
    """Return the draft in a reply, whatever stands around it; None where there is none."""
    found = _OBJECT.search(reply)
    if found is None:
        return None
    try:
        return msgspec.json.decode(found[0], type=Draft)
    except msgspec.DecodeError:
        return None


def faults(draft: Draft) -> Iterator[str]:
    """Yield the rules that a draft breaks."""
    options = [text.strip() for text in draft.options]
    if len(options) != len(LABELS) or len({text.casefold() for text in options}) != len(LABELS) or not all(options):
        yield "not four different options"
        return
    if draft.answer.strip().strip("().").upper() not in LABELS:
        yield "no letter as answer"
    asked = _ASKED.casefold()
    if any(_EMPTY.fullmatch(text) for text in options) or draft.question.strip().rstrip("?.").casefold() in asked:
        yield "repeats the request"
    if not 0 < len(draft.question.strip()) <= LONGEST_QUESTION or max(map(len, options)) > LONGEST_OPTION:
        yield "too long, or empty"
    if any(_TELLING.search(text) for text in (draft.question, *options)):
        yield "tells of the edit"
    if any(_PICTURE.search(text) for text in (draft.question, *options)):
        yield "names a picture"
    lengths = sorted(map(len, options))
    if lengths[-1] > SHORT and lengths[-1] > UNEVEN * lengths[0]:
        yield "options of different lengths"


def right_label(draft: Draft) -> str:
    """Return the label of the right option of a draft without faults."""
    return draft.answer.strip().strip("().").upper()


def question_of(draft: Draft, order: Sequence[int]) -> Question:
    """Return the question as a solver is asked it, who is shown D, with the draft's options in this order."""
    return Question(
        id=ORACLE,
        kind=ORACLE,
        text=f"{wording.preamble(ORACLE, (), 0, described=False)}\n\n{draft.question.strip()}",
        shape=Choice(labels=LABELS),
        options=tuple(
            Option(label=label, text=draft.options[place].strip()) for label, place in zip(LABELS, order, strict=True)
        ),
        pictures=(Picture(name="1", caption=wording.CAPTIONS["target"]),),
        instruction=wording.INSTRUCTION,
        final=True,
    )
