"""Analogies of plain pictures, asked as the service asks them: what chat models on embeddings are tried with."""

import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from PIL import Image

from tetrad.contracts.items import Choice, Option, Picture, Question
from tetrad.prompting import Wording, find_strategy

LABELS = ("1", "2", "3", "4")
GIVEN = ("A", "A'", "B")
Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Analogy:
    """A question, its pictures as PNG bytes by name, and the right label."""

    question: Question
    pictures: Mapping[str, bytes]
    right: str

    def messages(self, strategy: str = "direct", replies: Sequence[str] = ()) -> Any:
        """Return the messages of the next request, as plain data."""
        found = find_strategy(strategy).messages(self.question, self.pictures, Wording(), replies)
        return msgspec.to_builtins(found)


def analogy(number: int, *, shown: Sequence[str] = GIVEN, side: int = 16) -> Analogy:
    """Return the analogy of this number: each picture shows a situation beside a value, as two colours."""
    rng = random.Random(number)
    situations, values = ([_colour(rng) for _ in range(3)] for _ in range(2))
    places = {"A": (0, 0), "A'": (0, 1), "B": (1, 0)}
    options = [(1, 1), (1, 2), (2, 1), (2, 2)]
    rng.shuffle(options)
    drawn = {name: places[name] for name in shown} | dict(zip(LABELS, options, strict=True))
    pictures = {name: _halves(situations[left], values[right], side) for name, (left, right) in drawn.items()}
    question = Question(
        id="which",
        kind="which",
        text="Which picture shows B with the same change?",
        shape=Choice(labels=LABELS),
        options=tuple(Option(label=label, picture=label) for label in LABELS),
        pictures=tuple(Picture(name=name, caption=f"picture {name}") for name in drawn),
        final=True,
    )
    return Analogy(question, pictures, LABELS[options.index((1, 1))])


def in_words(number: int) -> Analogy:
    """Return the analogy of this number with options in words."""
    found = analogy(number)
    options = tuple(Option(label=label, text=f"the picture marked {label}") for label in LABELS)
    return Analogy(msgspec.structs.replace(found.question, options=options), found.pictures, found.right)


def _colour(rng: random.Random) -> Colour:
    red, green, blue = (rng.randrange(256) for _ in range(3))
    return red, green, blue


def _halves(left: Colour, right: Colour, side: int) -> bytes:
    picture = Image.new("RGB", (side, side), left)
    picture.paste(right, (side // 2, 0, side, side))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()
