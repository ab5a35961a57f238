"""Rows: one question of a practice item, in the form in which it is exported, fetched and trained on.

The texts of this file describe every column, in the README and Croissant file of an export, in docs/training.md and in
the reference: nothing else does.
"""

import base64
import binascii
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from tetrad.contracts.wire import Label, Wire

RowForm: TypeAlias = Literal["rows", "responses", "chat", "verl"]
"""rows: all columns. responses: a request to OpenAI's Responses, as NeMo Gym takes it. chat: a request to OpenAI's chat
completions. verl: the columns of a data set of verl."""
RowPictures: TypeAlias = Literal["inline", "url", "none"]
"""inline: each picture as a data: address. url: its address at the service. none: without."""
PictureRole: TypeAlias = Literal["given", "option", "example"]
PartType: TypeAlias = Literal["text", "image"]
TurnRole: TypeAlias = Literal["system", "user", "assistant"]


class RowPicture(Wire, frozen=True, kw_only=True):
    """A picture of a row."""

    name: Annotated[str, Meta(description="its name in the item, the last part of its address")]
    role: Annotated[
        PictureRole,
        Meta(description="given: the question shows it; option: an option is this picture; example: of a solved one"),
    ]
    caption: Annotated[str, Meta(description='the line that names it where it is shown, such as "Picture A."')]
    image: Annotated[
        str | None,
        Meta(description="the PNG: a data: address, an address at the service, or a file's name; null without"),
    ] = None

    def png(self) -> bytes:
        """Return the picture of an inline row.

        Raises:
            ValueError: the row has addresses, or no pictures.
        """
        head, _, body = (self.image or "").partition(",")
        if head != "data:image/png;base64":
            raise ValueError(f"picture {self.name} is not inline: ask for rows with pictures=inline")
        try:
            return _decode(body)
        except binascii.Error as error:
            raise ValueError(f"picture {self.name} is no base64: {error}") from error


@lru_cache(maxsize=16)  # questions of an item share their pictures
def _decode(body: str) -> bytes:
    return base64.b64decode(body, validate=True)


class RowOption(Wire, frozen=True, kw_only=True):
    """An option of a row's question."""

    label: Annotated[Label, Meta(description="what an answer names it by: A, B, 1, 2")]
    text: Annotated[str | None, Meta(description="its words; null where it is a picture")] = None
    picture: Annotated[str | None, Meta(description="the name of its picture; null where it is words")] = None


class RowMistake(Wire, frozen=True, kw_only=True):
    """The mistake that a wrong option stands for."""

    label: Annotated[Label, Meta(description="the option's label")]
    name: Annotated[str, Meta(description="the mistake; the benchmark's card explains it")]


class RowPart(Wire, frozen=True, kw_only=True):
    """A part of a turn: words, or a picture."""

    type: Annotated[PartType, Meta(description="text or image")]
    text: Annotated[str | None, Meta(description="the words; null for a picture")] = None
    index: Annotated[int | None, Meta(description="the picture's place in `pictures`, from 0; null for words")] = None


class RowTurn(Wire, frozen=True, kw_only=True):
    """A turn of the prompt."""

    role: Annotated[TurnRole, Meta(description="system, user, or assistant (solved examples and earlier answers)")]
    content: Annotated[tuple[RowPart, ...], Meta(description="its words and pictures, in order")]


class Row(Wire, frozen=True, kw_only=True):
    """One question of a practice item. Rows of all benchmarks have the same columns."""

    id: Annotated[str, Meta(description="the row: the item's id, a slash, and the question's id")]
    item: Annotated[str, Meta(description="the practice item's id, which holds all that it is made from")]
    question: Annotated[str, Meta(description="the question's id in its item: its kind, and -2 for a repeat")]
    seed: Annotated[str, Meta(description="the seed of the draw: a whole number, or 64 hex digits")]
    index: Annotated[int, Meta(description="the item's place in the draw, from 0")]
    benchmark: Annotated[str, Meta(description="the benchmark's name")]
    version: Annotated[int, Meta(description="the benchmark's version; items of another version are other items")]
    track: Annotated[str, Meta(description="the track: what the items are about")]
    setting: Annotated[str, Meta(description="the setting: what is asked and shown")]
    parameters: Annotated[str, Meta(description="the benchmark's parameters with their values, as JSON")]
    source: Annotated[str, Meta(description="the digest of the sources that the pictures are drawn from")]
    kind: Annotated[str, Meta(description="the kind of question")]
    stage: Annotated[int, Meta(description="the place of its kind in the order in which an item asks, from 0")]
    text: Annotated[str, Meta(description="what is asked")]
    instruction: Annotated[str, Meta(description="the form in which the answer is wanted, in words; may be empty")]
    shape: Annotated[str, Meta(description="the form of the answer, as JSON: what extraction needs to know")]
    pictures: Annotated[
        tuple[RowPicture, ...], Meta(description="the pictures, in the order in which the prompt shows them")
    ]
    options: Annotated[
        tuple[RowOption, ...], Meta(description="the options, in order; empty where an answer is a number or words")
    ]
    answer: Annotated[str | None, Meta(description="the right answer: a label, a number or a text")]
    answer_text: Annotated[
        str | None, Meta(description="the right answer in words: the option's text, or its picture's caption")
    ]
    answer_index: Annotated[
        int | None, Meta(description="the place of the right option, from 0; null where there are no options")
    ]
    key: Annotated[str | None, Meta(description="all that a verdict needs, as JSON: see tetrad.environments")]
    mistakes: Annotated[tuple[RowMistake, ...], Meta(description="the mistakes that wrong options stand for")]
    facets: Annotated[str | None, Meta(description="facts about the question that scores are split by, as JSON")]
    cluster: Annotated[str, Meta(description="questions of one cluster share what they are about: not independent")]
    explanation: Annotated[str | None, Meta(description="why the answer is right, in a sentence")]
    scene: Annotated[str | None, Meta(description="the whole content of the item as plain data, as JSON")]
    prompt: Annotated[
        tuple[RowTurn, ...],
        Meta(description="the turns by which `tetrad submit` asks it, alone or after the answers given so far"),
    ]


TOLD_BY_ANSWERS = ("answer", "answer_text", "answer_index", "key", "facets", "explanation", "scene")
"""The columns that are null in rows without answers; `mistakes` is empty there."""
