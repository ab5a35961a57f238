"""Open a source of situations for drawing: the analogies that mining found in the part that may be shown."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.vasr.spec import PLACE, ROLES, VERB, Photograph
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import resize
from generator_service.mining.situations.annotations import Situation, Vocabulary, read_row, read_words
from generator_service.mining.situations.asking import Shown, find_solutions, shown_by, solves
from generator_service.sources.photographs import Photographs
from generator_service.sources.store import SourceUnfitError

FRAMES = "situations/frames-1"
WORDS = "situations/words-1"
ASKED = "situations/asked-1-23ffd1203da9cd2e"
BY_ROLE = "situations/roles-1-ca28258313a5ebeb"
TABLES = (FRAMES, WORDS, ASKED, BY_ROLE)
"""The tables that the job `situations` makes, by the names that it prints."""
SIDE = 512
"""Pixels of the longer side of what is shown; smaller photographs are shown as they are."""
CANDIDATES = (4, 8)
LEAST_PICTURES = 24
"""Fewer can't give an analogy random candidates of which each reads otherwise."""
_KIND = "situations"


class Analogy(NamedTuple):
    """An analogy as mining found it. images: A, A', B and B'. frames: of each the frame that tells the change.

    other: images with the new value in another situation, and their frames. near: likewise, what resembles B and lacks
    the value. The most similar come first.
    """

    key: str
    role: str
    images: tuple[str, ...]
    frames: tuple[int, ...]
    other: Sequence[tuple[str, int]]
    near: Sequence[tuple[str, int]]


def shares_of(count: int) -> tuple[int, int]:
    """Return how many distractors are of one sort, and of the other: of three one and two, of seven three and four."""
    return count - 1 - count // 2, count // 2


class AnalogyBank:
    """The analogies that items are drawn from: those of the part that may be shown."""

    def __init__(self, photographs: Photographs) -> None:
        """Read which analogies there are.

        Raises:
            SourceUnreadyError: a table is not made yet.
            SourceUnfitError: there are too few pictures of this part, or analogies between them.
        """
        self._photographs = photographs
        self._frames, self._asked = photographs.table(FRAMES), photographs.table(ASKED)
        self._vocabulary: Vocabulary = read_words(photographs.table(WORDS))
        shown = set(photographs.pictures)
        pictured = {image: row["picture"] for image, row in self._frames.rows() if row.get("picture") in shown}
        self._pictures: Mapping[str, str] = pictured
        self.images = tuple(pictured)
        by_role = dict(photographs.table(BY_ROLE).rows())
        self._keys: dict[int, dict[str, tuple[str, ...]]] = {}
        for count in CANDIDATES:
            few, many = shares_of(count)
            found = {
                role: tuple(
                    key
                    for key, image, *sorts in by_role[role]["analogies"]
                    if image in pictured and min(sorts) >= few and max(sorts) >= many
                )
                for role in ROLES
                if role in by_role
            }
            self._keys[count] = {role: keys for role, keys in found.items() if keys}
        lacking = [str(count) for count, found in self._keys.items() if not found]
        if lacking or len(pictured) < LEAST_PICTURES:
            problem = f"no analogies with {' or with '.join(lacking)} candidates between its {len(pictured)} pictures"
            if not lacking:
                problem = f"{len(pictured)} pictures of what is annotated, and needs {LEAST_PICTURES}"
            if not pictured:
                problem = "no pictures of what is annotated"
            raise SourceUnfitError(
                f"situations:{photographs.name} has {problem}; add a source of more annotated pictures and mine it, or "
                "name another one (source=situations:NAME)",
                kind=_KIND,
            )

    def roles(self, count: int) -> Sequence[str]:
        """Return the roles that change in analogies with so many candidates."""
        return tuple(self._keys[count])

    def keys(self, role: str, count: int) -> Sequence[str]:
        """Return the names of the analogies with so many candidates in which a role changes."""
        return self._keys[count][role]

    def analogy(self, key: str) -> Analogy:
        """Return an analogy; KeyError for one that is not there."""
        return _analogy(self, key)

    def read_image(self, image: str) -> Shown:
        """Return what annotators say of an image."""
        return _read_shown(self, image)

    def photograph(self, image: str, frame: int = 0) -> Photograph:
        """Return an image as a state: one of its frames in words, and all of them."""
        found = self.read_image(image)
        told, words = found.frames[frame], self._vocabulary.words
        roles = (*(role for role in told if role not in {VERB, PLACE}), *(role for role in (PLACE,) if role in told))
        return Photograph(
            verb=told[VERB],
            values=tuple((role, words.get(told[role], told[role])) for role in roles if told[role]),
            name=image,
            frames=tuple(tuple(frame.items()) for frame in found.frames),
        )

    def solves(self, analogy: Analogy, image: str) -> bool:
        """Tell whether an image shows B with a change that A and A' show."""
        a, changed, b = (self.read_image(image) for image in analogy.images[:3])
        return solves(self.read_image(image), find_solutions(a, changed, b))

    def picture(self, image: str) -> PictureArray:
        """Return a photograph, opaque, scaled to at most 512 pixels on its longer side."""
        picture = self._photographs.picture(self._pictures[image])
        height, width = picture.shape[:2]
        longest = max(height, width)
        made = picture.copy()
        if longest > SIDE:
            made = resize(picture, max(1, width * SIDE // longest), max(1, height * SIDE // longest)).copy()
        made[..., 3] = 255
        return made


# A row is read by decoding 256 of them: those that were drawn last are kept.
@cache_within_budget(64)
def _analogy(bank: AnalogyBank, key: str) -> Analogy:
    row = bank._asked.row(key)  # noqa: SLF001 - the cache belongs to the bank
    return Analogy(
        key=key,
        role=row["role"],
        images=tuple(row["images"]),
        frames=tuple(row["frames"]),
        other=[(image, frame) for image, frame in row["other"]],
        near=[(image, frame) for image, frame in row["near"]],
    )


@cache_within_budget(256)  # about 2 KiB each
def _read_shown(bank: AnalogyBank, image: str) -> Shown:
    situation: Situation = read_row(bank._frames.row(image))  # noqa: SLF001 - the cache belongs to the bank
    return shown_by(situation, bank._vocabulary)  # noqa: SLF001 - same
