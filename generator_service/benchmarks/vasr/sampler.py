"""List the strata of a draw, and draw the Scene of a stratum from random streams: the only user of randomness.

Options first. Balanced options are every combination of two values of two things (three for eight candidates): the
changed role, and either all else of the situation or one other role. They are drawn before it is drawn which of them is
right; A, A' and B follow from that. Everything that is accepted or drawn again is so whichever option is right.

All options, and B, have one place; A and A' have another one, and one look, so that nothing but the role changes
between them, and no change of looks can be repeated from B to an option.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import Any

from generator_service.benchmark import Parameters, Stratum, Streams
from generator_service.benchmarks.vasr.photographs.sampler import sample_photographs
from generator_service.benchmarks.vasr.spec import (
    BALANCED,
    DIFFICULT,
    GIVEN,
    LOOKS,
    PHOTOGRAPHS,
    PLACE,
    ROLES,
    SITUATIONS,
    TWO_ROLES,
    VERB,
    Offered,
    Scene,
    State,
    distinct,
    frames_with,
    goes_with,
    members,
)
from generator_service.drawing.people.vocabulary import FRAMES, VALUES, VERBS
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream

_MOST_DRAWS = 20_000
_EVERY_LOOK = prod(LOOKS.values())
_PLACES = tuple(value.name for value in VALUES["place"])
_ROLES_OF = {verb.name: FRAMES[verb.frame] for verb in VERBS}
_CHOICES = tuple(LOOKS.items())
Values = dict[str, str]


class NoStates(RuntimeError):  # noqa: N818 -- named for what went wrong
    """No states fit an item: a stratum is impossible, which is a defect."""


@dataclass(frozen=True)
class _Drawn:
    """The states of an item before they have places: values by role, the verb among them. The right option is first."""

    given: tuple[Values, Values, Values]
    options: tuple[tuple[Values, str], ...]


# Each unordered pair of roles changes either role equally often, and each role twice in twelve: so options that are
# every combination of two values of two roles don't tell which of the two changed.
OTHER_ROLES: dict[str, tuple[str, ...]] = {
    "item": ("agent", "verb"),
    "vehicle": ("agent", "verb"),
    "agent": ("item", "vehicle"),
    "verb": ("item", "vehicle"),
    "tool": ("victim", "victim"),
    "victim": ("tool", "tool"),
}


def strata(track: str, _setting: str, parameters: Parameters) -> list[Stratum]:
    """Return the strata: the role, and for balanced options the other role that is combined with it, if one is.

    Four balanced candidates are of two sorts, half of the items each; eight are both at once. Photographs have one
    stratum: in a small corpus nothing changes in some roles.
    """
    if track == PHOTOGRAPHS:
        return [Stratum(facets={"sort": ""}, weight=1)]
    if parameters["distractors"] != BALANCED:
        return [Stratum(facets={"role": role, "sort": "", "other": ""}, weight=1) for role in ROLES]
    two = [
        Stratum(facets={"role": role, "sort": TWO_ROLES, "other": other}, weight=2 // len(set(others)))
        for role, others in OTHER_ROLES.items()
        for other in sorted(set(others))
    ]
    if parameters["candidates"] == "8":
        return two
    return [*two, *(Stratum(facets={"role": role, "sort": SITUATIONS, "other": ""}, weight=2) for role in ROLES)]


def sample(  # noqa: PLR0917 - as `Benchmark.sample`
    bank: Any, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
) -> Scene:
    """Draw an item of a stratum: its options, which is right, what is given, and how each picture looks."""
    if track == PHOTOGRAPHS:
        return sample_photographs(bank.of_photographs(), setting, parameters, streams)
    stream, role = streams("states"), facets["role"]
    kind, count = str(parameters["distractors"]), int(str(parameters["candidates"]))
    for _ in range(_MOST_DRAWS):
        if kind != BALANCED:
            drawn = _difficult(stream, role, count) if kind == DIFFICULT else _random(stream, role, count)
        elif facets["sort"] == SITUATIONS:
            drawn = _of_situations(stream, role)
        else:
            drawn = _of_two_roles(stream, role, facets["other"], rests=count // 4)
        if drawn is not None:
            break
    else:
        raise NoStates(f"no states in {_MOST_DRAWS} draws for {dict(facets)}, {dict(parameters)}")
    here, there = _draw_members(streams("places"), _PLACES, 2)
    order = streams("order").shuffle(drawn.options)
    return Scene(
        item=f"{streams('item').word():016x}",
        setting=setting,
        role=role,
        kind=kind,
        sort=facets["sort"],
        presentation=str(parameters["presentation"]),
        given=(_state(drawn.given[0], there), _state(drawn.given[1], there), _state(drawn.given[2], here)),
        options=tuple(Offered(_state(values, here), mistake) for values, mistake in order),
        looks=_looks(streams("looks"), len(order)),
    )


def _looks(stream: Stream, options: int) -> Mapping[str, Mapping[str, int]]:
    first = _look(stream)
    more = {name: _look(stream) for name in (GIVEN[2], *(str(place + 1) for place in range(options)))}
    return {GIVEN[0]: first, GIVEN[1]: first, **more}


def _look(stream: Stream) -> Mapping[str, int]:
    number, found = stream.below(_EVERY_LOOK), dict[str, int]()
    for name, choices in _CHOICES:
        number, found[name] = divmod(number, choices)
    return found


def _of_situations(stream: Stream, role: str) -> _Drawn | None:
    """Draw options {one situation, another} x {one value of the role, another}."""
    frame = stream.choice(frames_with(role))
    first, second, old = _distinct_values(stream, role, frame, 3)
    rests = [_rest(stream, frame, {role: (first, second, old)}) for _ in range(3)]
    if not _all_differ(rests) or not _fill(rests, [{role: value} for value in (first, second, old)]):
        return None
    own, other, apart = rests
    if stream.below(2):
        own, other = other, own
    new, third = (first, second) if stream.below(2) else (second, first)
    options = (
        ({**own, role: new}, ""),
        ({**own, role: third}, "third value"),
        ({**other, role: new}, "wrong situation"),
        ({**other, role: third}, "both"),
    )
    return _Drawn(({**apart, role: old}, {**apart, role: new}, {**own, role: old}), options)


_TWO = {
    (False, False): "",
    (True, False): "kept B",
    (False, True): "both",
    (True, True): "wrong role",
}
"""Whether the role has its old value, whether the other role has that of A' -> the mistake."""


def _of_two_roles(stream: Stream, role: str, other: str, *, rests: int) -> _Drawn | None:
    """Draw options {a value of the role, another} x {a value of another role, another}, in one or two situations."""
    frame = stream.choice(frames_with(role, other))
    values, others = _distinct_values(stream, role, frame, 2), _distinct_values(stream, other, frame, 2)
    situations = [_rest(stream, frame, {role: values, other: others}) for _ in range(rests + 1)]
    combined = [{role: value, other: second} for value in values for second in others]
    if not _all_differ(situations) or not _fill(situations, combined):
        return None
    *offered, apart = situations
    own = stream.below(rests)
    new, old = values if stream.below(2) else values[::-1]
    kept, changed = others if stream.below(2) else others[::-1]
    options = []
    for number, rest in enumerate(offered):
        for value in (new, old):
            for second in (kept, changed):
                mistake = _TWO[value == old, second == changed]
                if number != own:
                    mistake = f"{mistake}, wrong situation" if mistake else "wrong situation"
                options.append(({**rest, role: value, other: second}, mistake))
    options.sort(key=lambda one: one[1] != "")
    start = {**apart, other: changed}
    return _Drawn(
        ({**start, role: old}, {**start, role: new}, {**offered[own], role: old, other: kept}), tuple(options)
    )


def _difficult(stream: Stream, role: str, count: int) -> _Drawn | None:
    """Draw distractors as published: some have the new value in another situation, others resemble B and lack it.

    Two of one sort and one of the other; of seven four and three.
    """
    frame = stream.choice(frames_with(role))
    new, third, old = values = _distinct_values(stream, role, frame, 3)
    apart, own, more = (_rest(stream, frame, {role: values}) for _ in range(3))
    if not _all_differ([apart, own, more]) or not _fill([apart, own], [{role: value} for value in (new, third, old)]):
        return None
    others = [({**values, role: new}, "wrong situation") for values in _replace_roles(stream, apart, more)]
    resembling = _replace_roles(stream, own, more)
    ways = [stream.shuffle((old, third)) for _ in resembling]
    near = [
        ({**values, role: way[turn]}, "lacks the change")
        for turn in range(2)
        for values, way in zip(resembling, ways, strict=True)
    ]
    many = count // 2
    of_other = many if stream.below(2) and len(others) >= many else count - 1 - many
    of_near = count - 1 - of_other
    options = (({**own, role: new}, ""), *others[:of_other], *near[:of_near])
    if not _fill([values for values, _ in options], [{}]):
        return None
    return _Drawn(({**apart, role: old}, {**apart, role: new}, {**own, role: old}), options)


def _replace_roles(stream: Stream, values: Values, by: Values) -> Sequence[Values]:
    """Return values with one role taken from `by`, each role once, in a random order; then with two, and so on."""
    roles = stream.shuffle(tuple(values))
    changed = [chosen for size in range(1, len(roles) + 1) for chosen in combinations(roles, size)]
    return [{role: by[role] if role in chosen else value for role, value in values.items()} for chosen in changed]


def _random(stream: Stream, role: str, count: int) -> _Drawn | None:
    """Draw distractors that have nothing to do with the analogy."""
    frame = stream.choice(frames_with(role))
    new, old = values = _distinct_values(stream, role, frame, 2)
    apart, own = _rest(stream, frame, {role: values}), _rest(stream, frame, {role: values})
    pairs = [{role: new}, {role: old}]
    if not _all_differ([apart, own]) or not _fill([apart, own], pairs):
        return None
    options = [({**own, role: new}, "")]
    while len(options) < count:
        of = stream.choice(tuple(FRAMES))
        more = _rest(stream, of, {})
        if not _fill([more], [{}]) or any(more == values for values, _ in options):
            return None
        options.append((more, "unrelated"))
    return _Drawn(({**apart, role: old}, {**apart, role: new}, {**own, role: old}), tuple(options))


def _distinct_values(stream: Stream, role: str, frame: str, count: int) -> tuple[str, ...]:
    """Draw values of a role, each of which can change into each other."""
    for _ in range(_MOST_DRAWS):
        values = _draw_members(stream, members(role, frame), count)
        if all(distinct(role, value, other) for value, other in combinations(values, 2)):
            return values
    raise NoStates(f"no {count} distinct values of {role} in {_MOST_DRAWS} draws")


def _draw_members(stream: Stream, members: Sequence[str], count: int) -> tuple[str, ...]:
    """Draw a few different members; `Stream.sample` draws a place for every one."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[stream.choice(members)] = None
    return tuple(found)


def _rest(stream: Stream, frame: str, fixed: Mapping[str, tuple[str, ...]]) -> Values:
    """Draw the verb and each role of a frame but the place and those that are fixed; they go with the fixed values."""
    roles = tuple(role for role in FRAMES[frame] if role != PLACE and role not in fixed)
    if VERB in fixed:
        verbs, drawn = fixed[VERB], {}
    else:
        drawn = {VERB: stream.choice(_verbs_for(frame, tuple((role, *sorted(fixed[role])) for role in sorted(fixed))))}
        verbs = (drawn[VERB],)
    return {**drawn, **{role: stream.choice(_values_for(role, frame, frozenset(verbs))) for role in roles}}


@lru_cache(2048)
def _verbs_for(frame: str, fixed: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return the verbs of a frame that all fixed values, (role, *values), go with."""
    return tuple(
        verb
        for verb in members(VERB, frame)
        if all(goes_with(verb, role, value) for role, *values in fixed for value in values)
    )


@lru_cache(2048)
def _values_for(role: str, frame: str, verbs: frozenset[str]) -> tuple[str, ...]:
    """Return the values of a role that go with all of these verbs."""
    return tuple(value for value in members(role, frame) if all(goes_with(verb, role, value) for verb in verbs))


def _all_differ(rests: Sequence[Values]) -> bool:
    """Return whether no two share a value of a role."""
    return all(rest[role] != other[role] for rest, other in combinations(rests, 2) for role in rest)


def _fill(rests: Sequence[Values], values: Sequence[Values]) -> bool:
    """Return whether each of the values goes with each of the rests."""
    return all(_possible({**rest, **own}) for rest in rests for own in values)


def _possible(values: Values) -> bool:
    return all(goes_with(values[VERB], role, value) for role, value in values.items() if role != VERB)


def _state(values: Values, place: str) -> State:
    roles = _ROLES_OF[values[VERB]]
    return State(values[VERB], tuple((role, place if role == PLACE else values[role]) for role in roles))
