"""Read situations from annotation files: imSitu, SWiG, and our own composed corpora, which have imSitu's form.

imSitu (Yatskar et al. 2016): `{"verb_12.jpg": {"verb": ..., "frames": [{role: noun}, ...]}}`, nouns are WordNet 3.0
synsets ("n02084071") or "" where a role is not filled. SWiG (Pratt et al. 2020) adds `bb` (role -> [x0, y0, x1, y1],
-1 where there is none), `height` and `width`. Both come with `imsitu_space.json`: the roles of each verb, and the words
of nouns.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from generator_service.sources.tables import Table

VOCABULARY = "vocabulary"  # the one row of the table `words`
FRAMES = 3  # annotators of an image, in imSitu
AGENT = "agent"
VERB = "verb"
PLACE = "place"
MISSING = -1  # a side of a box that SWiG does not have
Role = Literal["agent", "verb", "item", "tool", "vehicle", "victim"]
ROLES: tuple[Role, ...] = ("agent", "verb", "item", "tool", "vehicle", "victim")
"""The roles that analogies are about (Bitton et al. 2023, section 3.1)."""


class AnnotationError(ValueError):
    """An annotation file holds something else than situations; the message names the entry and the remedy."""


class Situation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The situation that an image shows: a verb, and the frame of each annotator, role -> noun.

    boxes: role -> (x0, y0, x1, y1) in pixels, where known; width and height of the image, 0 where not known.
    """

    verb: str
    frames: tuple[dict[str, str], ...]
    boxes: dict[str, tuple[int, int, int, int]] = {}
    width: int = 0
    height: int = 0

    def share(self, role: str) -> float | None:
        """Return the share of the image that the box of a role covers, 0 to 1; None where it is not known."""
        box = self.boxes.get(role)
        if box is None or not self.width or not self.height:
            return None
        return max(0, box[2] - box[0]) * max(0, box[3] - box[1]) / (self.width * self.height)


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The words of a corpus: the role of a verb that is its agent, sentences of verbs, and words of nouns."""

    agents: dict[str, str] = {}
    sentences: dict[str, str] = {}
    words: dict[str, str] = {}


class _Verb(msgspec.Struct, frozen=True):
    order: list[str]
    roles: dict[str, Any]
    abstract: str = ""


class _Noun(msgspec.Struct, frozen=True):
    gloss: list[str]


class _Space(msgspec.Struct, frozen=True):
    verbs: dict[str, _Verb]
    nouns: dict[str, _Noun] = {}


class _Entry(msgspec.Struct, frozen=True):
    verb: str
    frames: list[dict[str, str]]
    bb: dict[str, list[int]] = {}
    height: int = 0
    width: int = 0


def read_annotations(files: Iterable[tuple[str, bytes]]) -> tuple[dict[str, Situation], Vocabulary]:
    """Return the situations of all annotation files by image, and what the corpus says of its words.

    Raises:
        AnnotationError: a file is neither a list of situations nor a vocabulary, or two files differ about an image.
    """
    situations: dict[str, Situation] = {}
    vocabulary = Vocabulary()
    for name, body in files:
        if not name.lower().endswith(".json"):
            continue
        found = _raw(name, body)
        if "verbs" in found:
            vocabulary = _vocabulary(name, body)
            continue
        for image, situation in _situations(name, found):
            if situations.setdefault(image, situation) != situation:
                raise AnnotationError(f"{name}: {image} was annotated otherwise in an earlier file; give one of them")
    return situations, vocabulary


def read_row(row: Mapping[str, object]) -> Situation:
    """Return the situation of a row of the table `frames`."""
    return msgspec.convert(row, type=Situation)


def read_words(table: Table) -> Vocabulary:
    """Return what the table `words` says."""
    return msgspec.convert(table.row(VOCABULARY), type=Vocabulary)


def agent_of(verb: str, roles: Iterable[str], agents: Mapping[str, str]) -> str:
    """Return the role that is a verb's agent: "agent", else what the corpus says ("carrier"), else ""."""
    named = tuple(roles)
    if AGENT in named:
        return AGENT
    said = agents.get(verb, "")
    return said if said in named else ""


def _raw(name: str, body: bytes) -> dict[str, msgspec.Raw]:
    try:
        return msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError as error:
        raise AnnotationError(f"{name}: {error}; give imSitu's or SWiG's JSON, or leave the file out") from error


def _vocabulary(name: str, body: bytes) -> Vocabulary:
    """Read imsitu_space.json. A verb without a role "agent" has its agent first in its order (carrier, teacher)."""
    try:
        space = msgspec.json.decode(body, type=_Space)
    except msgspec.ValidationError as error:
        raise AnnotationError(f"{name}: {error}; give imsitu_space.json as it was published") from error
    agents = {}
    for verb, about in space.verbs.items():
        first = next((role for role in about.order if role != PLACE), "")
        agents[verb] = AGENT if AGENT in about.roles else first
    return Vocabulary(
        agents=agents,
        sentences={verb: about.abstract for verb, about in space.verbs.items()},
        words={noun: about.gloss[0] for noun, about in space.nouns.items() if about.gloss},
    )


def _situations(name: str, found: Mapping[str, msgspec.Raw]) -> Iterator[tuple[str, Situation]]:
    for image, raw in found.items():
        try:
            entry = msgspec.json.decode(raw, type=_Entry)
        except msgspec.ValidationError as error:
            raise AnnotationError(f"{name}: {image}: {error}; give imSitu's or SWiG's JSON") from error
        yield image, _situation(f"{name}: {image}", entry)


def _situation(where: str, entry: _Entry) -> Situation:
    if not 1 <= len(entry.frames) <= FRAMES:
        raise AnnotationError(f"{where} has {len(entry.frames)} frames; give 1 to {FRAMES}")
    if any(set(frame) != set(entry.frames[0]) for frame in entry.frames):
        raise AnnotationError(f'{where}: its frames have different roles; give each role in each, "" where not filled')
    if VERB in entry.frames[0]:
        raise AnnotationError(f"{where}: a role is named {VERB!r}, which the verb itself is; name it otherwise")
    boxes = {}
    for role, box in entry.bb.items():
        if len(box) != 4:  # noqa: PLR2004 -- two corners
            raise AnnotationError(f"{where}: the box of {role} has {len(box)} numbers; give x0, y0, x1, y1")
        if MISSING not in box:
            boxes[role] = (box[0], box[1], box[2], box[3])
    return Situation(verb=entry.verb, frames=tuple(entry.frames), boxes=boxes, width=entry.width, height=entry.height)
