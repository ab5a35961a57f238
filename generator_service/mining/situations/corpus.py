"""A corpus of situations in columns, so that millions of pairs are found, filtered and counted with arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from generator_service.mining.situations.annotations import AGENT, FRAMES, VERB, Situation, agent_of

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
ABSENT = -1
UNFILLED = 0  # the number of the value ""
UNKNOWN = -1.0  # of a box
NOTHING = -1  # a code that is equal to no other


@dataclass(frozen=True)
class Corpus:
    """n images with at most s roles each, every word a number.

    values: "" first, then nouns and verbs. role_sets: the roles of an image, sorted; an image's slots follow them.
    verb [n], role_set [n]: numbers. frames [n, 3, s]: values of each annotator by slot, ABSENT beyond the roles; an
    image with fewer annotators repeats its first. agent_slot [n]: the slot of the agent, or ABSENT.
    shares [n, s]: the share of the image that the role's box covers, or UNKNOWN.
    part [n]: the number of the part of a divided source that an image belongs to; no analogy mixes two.
    """

    images: Sequence[str]
    values: Sequence[str]
    role_sets: Sequence[tuple[str, ...]]
    verb: Ints
    role_set: Ints
    frames: Ints
    agent_slot: Ints
    shares: NDArray[np.float64]
    part: Ints

    @cached_property
    def number(self) -> Mapping[str, int]:
        """The number of each value."""
        return {value: number for number, value in enumerate(self.values)}

    @cached_property
    def place(self) -> Mapping[str, int]:
        """The number of each image."""
        return {image: number for number, image in enumerate(self.images)}

    @cached_property
    def role_numbers(self) -> Mapping[str, int]:
        """The number of each role, "agent" included."""
        names = sorted({role for roles in self.role_sets for role in roles} | {AGENT})
        return {name: number for number, name in enumerate(names)}

    @cached_property
    def codes(self) -> Ints:
        """Role and value of each annotator's slots as one number [n, 3 s]: role * len(values) + value.

        NOTHING where a slot is not filled. An agent's role is "agent", whatever its verb calls it.
        """
        width = self.frames.shape[2]
        numbers = np.full((len(self.role_sets), width), NOTHING, dtype=np.int64)
        for place, roles in enumerate(self.role_sets):
            numbers[place, : len(roles)] = [self.role_numbers[role] for role in roles]
        roles_of = numbers[self.role_set]
        agents = self.agent_slot != ABSENT
        roles_of[agents, self.agent_slot[agents]] = self.role_numbers[AGENT]
        codes = np.where(self.frames > UNFILLED, roles_of[:, None, :] * len(self.values) + self.frames, NOTHING)
        return codes.reshape(len(self.images), FRAMES * width)

    def slots(self, role: str) -> Ints:
        """Return the slot of a role for every image [n], ABSENT where it has none. "agent" is the one of its verb."""
        if role == AGENT:
            return self.agent_slot
        if role not in self._slots:
            by_set = [roles.index(role) if role in roles else ABSENT for roles in self.role_sets]
            self._slots[role] = np.array(by_set, dtype=np.int64)[self.role_set]
        return self._slots[role]

    @cached_property
    def _slots(self) -> dict[str, Ints]:
        return {}


def build_corpus(
    situations: Iterable[tuple[str, Situation]], agents: Mapping[str, str], parts: Mapping[str, int] | None = None
) -> Corpus:
    """Number the words of situations, in their order, and lay them out in columns.

    parts: by image the number of its part, where the source is divided.
    """
    images: list[str] = []
    given: list[Situation] = []
    for image, situation in situations:
        images.append(image)
        given.append(situation)
    words = {situation.verb for situation in given}
    words.update(noun for situation in given for frame in situation.frames for noun in frame.values())
    values = ("", *sorted(words - {""}))
    number = {value: place for place, value in enumerate(values)}
    roles_of = [tuple(sorted(situation.frames[0])) for situation in given]
    role_sets = sorted(set(roles_of))
    width = max((len(roles) for roles in role_sets), default=0)
    frames = np.full((len(given), FRAMES, width), ABSENT, dtype=np.int64)
    shares = np.full((len(given), width), UNKNOWN)
    agent_slot = np.full(len(given), ABSENT, dtype=np.int64)
    for place, (situation, roles) in enumerate(zip(given, roles_of, strict=True)):
        rows = [[number[frame[role]] for role in roles] for frame in situation.frames]
        frames[place, :, : len(roles)] = [*rows, *[rows[0]] * (FRAMES - len(rows))]
        for slot, role in enumerate(roles):
            share = situation.share(role)
            shares[place, slot] = UNKNOWN if share is None else share
        agent = agent_of(situation.verb, roles, agents)
        agent_slot[place] = roles.index(agent) if agent else ABSENT
    set_number = {roles: place for place, roles in enumerate(role_sets)}
    return Corpus(
        images=images,
        values=values,
        role_sets=role_sets,
        verb=np.array([number[situation.verb] for situation in given], dtype=np.int64),
        role_set=np.array([set_number[roles] for roles in roles_of], dtype=np.int64),
        frames=frames,
        agent_slot=agent_slot,
        shares=shares,
        part=np.array([0 if parts is None else parts[image] for image in images], dtype=np.int64),
    )


def role_name(corpus: Corpus, role_set: int, slot: int) -> str:
    """Return the name of a slot of a role set; the slot after the last is the verb."""
    roles = corpus.role_sets[role_set]
    return roles[slot] if slot < len(roles) else VERB
