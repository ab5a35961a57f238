"""Make analogies with distractors ready to be asked: one candidate solves each of them, and no two read the same.

Annotators differ, and a pair of images can show two changes. So a distractor that the analogy's rule does not exclude
may still be B with some change that A and A' show. It is dropped here, by all frames of all images. So is one whose
words are those of another candidate.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from generator_service.mining.counting import Counting
from generator_service.mining.situations.annotations import AGENT, VERB, Situation, Vocabulary, agent_of

Frame = Mapping[str, str]
Content = frozenset[tuple[str, str]]
LEAST, MOST = 1, 2
"""The fewest distractors of one sort, and of the other: enough for four candidates."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """An image in its annotators' frames, each once, the verb among them; the agent's role is "agent".

    words: of nouns; a noun without one is told as it is.
    """

    frames: tuple[Frame, ...]
    words: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def contents(self) -> frozenset[Content]:
        """Return what each frame says, whatever the order of its roles."""
        return frozenset(map(content_of, self.frames))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Return each frame in words: the verb, then each role that is filled."""
        return tuple(
            ", ".join(
                (
                    frame[VERB],
                    *(f"{role} {self.words.get(noun, noun)}" for role, noun in frame.items() if noun and role != VERB),
                )
            )
            for frame in self.frames
        )


def content_of(frame: Frame) -> Content:
    return frozenset(frame.items())


def shown_by(situation: Situation, vocabulary: Vocabulary) -> Shown:
    """Return what an image shows, from its annotation."""
    agent = agent_of(situation.verb, situation.frames[0], vocabulary.agents)
    found: list[Frame] = []
    for frame in situation.frames:
        named = {VERB: situation.verb} | {AGENT if role == agent else role: noun for role, noun in frame.items()}
        if named not in found:
            found.append(named)
    return Shown(frames=tuple(found), words=vocabulary.words)


def changes(a: Shown, changed: Shown) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield every change from A to A' as (role, value, new value, frame of A, frame of A').

    Two frames differ in one value, both are filled, and no annotator gave both images the same value for that role.
    """
    for (place, mine), (other_place, other) in product(enumerate(a.frames), enumerate(changed.frames)):
        if mine.keys() != other.keys():
            continue
        differing = [role for role, value in mine.items() if other[role] != value]
        if len(differing) == 1:
            (role,) = differing
            apart = {frame[role] for frame in a.frames}.isdisjoint(frame.get(role) for frame in changed.frames)
            if mine[role] and other[role] and (apart or role == VERB):
                yield role, mine[role], other[role], place, other_place


@dataclass(frozen=True)
class Wanted:
    """A frame of B with a change that A and A' show: whatever shows it solves the analogy. place: of the frame of B."""

    change: tuple[str, str, str]
    place: int
    frame: Frame


def find_solutions(a: Shown, changed: Shown, b: Shown) -> list[Wanted]:
    """Return every frame that solves an analogy."""
    return _find_solutions(changes(a, changed), b)


def _find_solutions(shown: Iterable[tuple[str, str, str, int, int]], b: Shown) -> list[Wanted]:
    found = []
    for role, value, new, *_ in shown:
        for place, frame in enumerate(b.frames):
            if frame.get(role) == value:
                found.append(Wanted((role, value, new), place, {**frame, role: new}))
    return found


def solves(image: Shown, solving: Iterable[Wanted]) -> bool:
    """Tell whether an image shows a frame that solves an analogy."""
    return any(content_of(solution.frame) in image.contents for solution in solving)


def ask_analogy(row: Mapping[str, Any], shown: Callable[[str], Shown], counting: Counting) -> dict[str, Any] | None:
    """Return an analogy as it is asked; None where it can't be. shown: what an image shows.

    frames: of A, A', B and B' the frame that the change is told by. other, near: [image, frame], the most similar
    first.
    """
    a, changed, b, answer = (shown(row[name]) for name in ("A", "A'", "B", "B'"))
    change = (row["role"], row["from"], row["to"])
    seen = list(changes(a, changed))
    of_a = [shown_change[3:] for shown_change in seen if shown_change[:3] == change]
    solving = _find_solutions(seen, b)
    of_b = [
        (solution.place, place)
        for solution in solving
        if solution.change == change
        for place, frame in enumerate(answer.frames)
        if frame == solution.frame
    ]
    example = (f"{change[0]}: {change[1]} > {change[2]}",)
    if not of_a or not of_b:
        counting.drop("its frames don't tell the change", change[0], 1, example)
        return None
    read = {answer.texts[of_b[0][1]]}
    contents = {content_of(solution.frame) for solution in solving}
    kept = {
        sort: [[image, place] for image, place in _apart(row[sort], shown, contents, read)]
        for sort in ("other", "near")
    }
    few, many = sorted(map(len, kept.values()))
    if few < LEAST or many < MOST:
        counting.drop("too few candidates that don't solve it", change[0], 1, example)
        return None
    counting.keep(change[0], 1, example)
    return {
        "role": row["role"],
        "images": [row[name] for name in ("A", "A'", "B", "B'")],
        "frames": [*of_a[0], *of_b[0]],
        **kept,
    }


def _apart(
    images: Sequence[str], shown: Callable[[str], Shown], solving: AbstractSet[Content], read: set[str]
) -> Iterator[tuple[str, int]]:
    """Yield images that don't solve the analogy, each with a frame whose words none before it has."""
    for name in images:
        image = shown(name)
        if not image.contents.isdisjoint(solving):
            continue
        for place, told in enumerate(image.texts):
            if told not in read:
                read.add(told)
                yield name, place
                break
