"""List the strata of a draw, and draw the Scene of a stratum from random streams: the only user of randomness.

Options first. Balanced options are of two sorts. "situations", a third of the items: every combination of two values
of the changed role and two situations (four for eight candidates). "two-roles", two thirds: {x1 y1, x1 y2, x2 y3,
x2 y4} for values x and y of the changed role and another one, either way round (in two situations for eight).
Options are drawn before it is drawn which of them is right; A, A' and B follow from that. Everything that is accepted
or drawn again is so whichever option is right.

These sets, contexts and shares solve a linear programme over all sets of four options that differ in two things: no
part of A, A' and B can tell less. Where one of them is seen at most 50% are told, where two are at most 67%.

All options, and B, have one place; A and A' have another one. `looks.py` draws how each picture looks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from generator_service.benchmark import Parameters, Stratum, Streams
from generator_service.benchmarks.vasr.looks import draw_looks
from generator_service.benchmarks.vasr.photographs.sampler import sample_photographs
from generator_service.benchmarks.vasr.spec import (
    BALANCED,
    CROSSED,
    DIFFICULT,
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
_PLACES = tuple(value.name for value in VALUES["place"])
_ROLES_OF = {verb.name: FRAMES[verb.frame] for verb in VERBS}
Values = dict[str, str]


class NoStates(RuntimeError):  # noqa: N818 -- named for what went wrong
    """No states fit an item: a stratum is impossible, which is a defect."""


@dataclass(frozen=True)
class _Drawn:
    """The states of an item before they have places: values by role, the verb among them. The right option is first."""

    given: tuple[Values, Values, Values]
    options: tuple[tuple[Values, str], ...]

    @classmethod
    def of(cls, role: str, given: tuple[Values, Values, Values], right: Values, options: Sequence[Values]) -> "_Drawn":
        """Name what each balanced option stands for."""
        wrong = [(option, _mistake_of(role, given, option)) for option in options if option != right]
        return cls(given, ((right, ""), *wrong))


# Each unordered pair of roles changes either role equally often, and each role twice in twelve: so options that combine
# values of two roles don't tell which of the two changed.
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

    A third of the balanced items is of the one sort, two thirds of the other. Photographs have one stratum: in a small
    corpus nothing changes in some roles.
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
    return [*two, *(Stratum(facets={"role": role, "sort": SITUATIONS, "other": ""}, weight=1) for role in ROLES)]


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
            drawn = _of_situations(stream, role, count)
        else:
            drawn = _of_two_roles(stream, role, facets["other"], count)
        if drawn is not None:
            break
    else:
        raise NoStates(f"no states in {_MOST_DRAWS} draws for {dict(facets)}, {dict(parameters)}")
    here, there = _draw_members(streams("places"), _PLACES, 2)
    a, changed, b = drawn.given
    given = (_state(a, there), _state(changed, there), _state(b, here))
    order = streams("order").shuffle(drawn.options)
    return Scene(
        item=f"{streams('item').word():016x}",
        setting=setting,
        role=role,
        kind=kind,
        sort=facets["sort"],
        presentation=str(parameters["presentation"]),
        given=given,
        options=tuple(Offered(_state(values, here), mistake) for values, mistake in order),
        looks=draw_looks(streams("looks"), given, len(order)),
    )


def _of_situations(stream: Stream, role: str, count: int) -> _Drawn | None:
    """Draw options {one situation, another, ...} x {one value of the role, another}: half as many situations."""
    frame = stream.choice(frames_with(role))
    *values, old = _distinct_values(stream, role, frame, 3)
    *offered, apart = rests = [_rest(stream, frame, {role: (*values, old)}) for _ in range(count // 2 + 1)]
    if not _all_differ(rests) or not _fill(rests, [{role: value} for value in (*values, old)]):
        return None
    own, new = stream.choice(offered), stream.choice(values)
    given = {**apart, role: old}, {**apart, role: new}, {**own, role: old}
    options = [{**rest, role: value} for rest in offered for value in values]
    return _Drawn.of(role, given, {**own, role: new}, options)


def _of_two_roles(stream: Stream, role: str, other: str, count: int) -> _Drawn | None:
    """Draw four pairs of values of two roles, in one or two situations: one role has two values, the other four.

    With any of them right, A shows a pair that has neither of its values. A' and B each have one value of the right
    option and one of that pair, so whichever role has changed, they look the same.
    """
    frame = stream.choice(frames_with(role, other))
    twofold, fourfold = (role, other) if stream.below(2) else (other, role)
    two, four = _distinct_values(stream, twofold, frame, 2), _distinct_values(stream, fourfold, frame, 4)
    *offered, apart = rests = [_rest(stream, frame, {twofold: two, fourfold: four}) for _ in range(count // 4 + 1)]
    if not _all_differ(rests) or not _fill(rests, [{twofold: value, fourfold: each} for value in two for each in four]):
        return None
    halves = [
        [{twofold: two[number], fourfold: each} for each in four[2 * number : 2 * number + 2]] for number in range(2)
    ]
    turn = stream.below(2)
    pair, before = stream.choice(halves[turn]), stream.choice(halves[1 - turn])
    own = stream.choice(offered)
    right = {**own, **pair}
    given = {**apart, **before}, {**apart, **before, role: pair[role]}, {**right, role: before[role]}
    return _Drawn.of(role, given, right, [{**rest, **each} for rest in offered for half in halves for each in half])


def _mistake_of(role: str, given: Sequence[Mapping[str, str]], option: Mapping[str, str]) -> str:
    """Return what a balanced option stands for, by its value of the role and its situation; "" for the right one."""
    a, changed, b = given
    value, old = option[role], a[role]
    kept = {name for name in b if name != role and option[name] == b[name]}
    if len(kept) == len(b) - 1:
        return "" if value == changed[role] else "third value"
    others = b.keys() - kept - {role}
    if value == old and len(others) == 1 and all(option[name] == a[name] for name in others):
        return "wrong role"
    return {changed[role]: "wrong situation", old: "kept B, wrong situation"}.get(value, "both")


def _difficult(stream: Stream, role: str, count: int) -> _Drawn | None:
    """Draw distractors as published: some have the new value in another situation, others resemble B and lack it.

    Of three two resemble B, of seven three or four.
    """
    if count == CROSSED:
        return _cross_situations(stream, role)
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


def _cross_situations(stream: Stream, role: str) -> _Drawn | None:
    """Draw two situations, one whole with the new value, and two mixed of both with the old one.

    Whichever of the four is right, one of the others has its value and shares nothing else with it, and two resemble it
    and lack its value. So the rule of the published distractors holds, and options alone tell nothing.
    """
    frame = stream.choice(frames_with(role))
    new, old = values = _distinct_values(stream, role, frame, 2)
    apart, own, other = rests = [_rest(stream, frame, {role: values}) for _ in range(3)]
    if not _all_differ(rests):
        return None
    names = stream.shuffle(tuple(own))
    kept = names[: len(names) // 2]
    near, far = ({**base, **{name: mixed[name] for name in kept}} for base, mixed in ((own, other), (other, own)))
    if not _fill([apart, own, other, near, far], [{role: value} for value in values]):
        return None
    given = {**apart, role: old}, {**apart, role: new}, {**own, role: old}
    lacking = ({**near, role: old}, "lacks the change"), ({**far, role: old}, "lacks the change")
    return _Drawn(given, (({**own, role: new}, ""), ({**other, role: new}, "wrong situation"), *lacking))


def _replace_roles(stream: Stream, values: Values, by: Values) -> Sequence[Values]:
    """Return values with one role taken from `by`, each role once, in a random order; then with two, and so on."""
    roles = stream.shuffle(tuple(values))
    changed = [chosen for size in range(1, len(roles) + 1) for chosen in combinations(roles, size)]
    return [{role: by[role] if role in chosen else value for role, value in values.items()} for chosen in changed]


def _random(stream: Stream, role: str, count: int) -> _Drawn | None:
    """Draw distractors that have nothing to do with the analogy: right options of other ones."""
    *given, right = _draw_analogy(stream, role)
    others = [_draw_analogy(stream, stream.choice(ROLES))[-1] for _ in range(count - 1)]
    if any(option == other for option, other in combinations([right, *others], 2)):
        return None
    a, changed, b = given
    return _Drawn((a, changed, b), ((right, ""), *((option, "unrelated") for option in others)))


def _draw_analogy(stream: Stream, role: str) -> tuple[Values, Values, Values, Values]:
    """Draw A, A', B and the right option."""
    for _ in range(_MOST_DRAWS):
        frame = stream.choice(frames_with(role))
        new, old = values = _distinct_values(stream, role, frame, 2)
        apart, own = _rest(stream, frame, {role: values}), _rest(stream, frame, {role: values})
        if _all_differ([apart, own]) and _fill([apart, own], [{role: new}, {role: old}]):
            return {**apart, role: old}, {**apart, role: new}, {**own, role: old}, {**own, role: new}
    raise NoStates(f"no analogy in {_MOST_DRAWS} draws for {role}")


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
