"""List the strata of a draw, and draw the Scene of a stratum from random streams: the only user of randomness.

A stratum is a domain, a value and whether it changes, with the whole-number shares that make option sets symmetric.

There is one stream per purpose: "states" (option set, its order, and the aspects that are left out), "objects" (the two
objects and the trial's name), "places" (the order of every question's options), and "rows" (of a sentence sheet). A
solved example has such streams of its own. Creating a stream costs as much as six draws, so all questions of a trial
share "places".
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import gcd
from operator import itemgetter
from typing import TypeVar

from generator_service.benchmark import Parameters, Stratum, Streams
from generator_service.benchmarks.kiva.arrangements import arrangements_of, list_combined, value_weights
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.members import TrialMembers, apply_changes, aspect_families, find_members
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.spec import (
    ASKS,
    COMBINATIONS,
    COMPOSITIONALITY,
    EIGHT,
    FOUR,
    SENTENCE,
    VALUES_OF,
    Scene,
    Showing,
    State,
    Words,
    domains_of,
)
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream

T = TypeVar("T")
Named = Callable[[str], Stream]

# For each number of members, the functions that put them into each possible order.
_ORDERS = {count: tuple(itemgetter(*order) for order in permutations(range(count))) for count in (2, 3, 4)}


def strata(track: str, _setting: str, parameters: Parameters) -> tuple[Stratum, ...]:
    """Return the strata. `no_change` percent of the trials of each show no change.

    kiva: equal shares for the domains, the arrangements' shares for their values. kiva-adults: as in the paper, equal
    shares for the values. kiva-compositionality: equal shares for the combinations of domains. Eight mixtures are of
    three domains: two give no more than four.
    """
    mixtures = str(parameters.get("mixtures", FOUR))
    return _strata(track, str(parameters["distractors"]), mixtures, int(parameters["no_change"]))


@lru_cache(maxsize=64)
def _strata(track: str, distractors: str, mixtures: str, no_change: int) -> tuple[Stratum, ...]:
    weighed = [
        Stratum(facets={**facets, "change": change}, weight=weight * percent)
        for facets, weight in _shares(track, distractors, mixtures)
        for change, percent in (("yes", 100 - no_change), ("no", no_change))
        if percent
    ]
    unit = gcd(*(cell.weight for cell in weighed))
    return tuple(Stratum(facets=cell.facets, weight=cell.weight // unit) for cell in weighed)


def _shares(track: str, distractors: str, mixtures: str) -> Iterator[tuple[Facets, int]]:
    if track == COMPOSITIONALITY:
        fewest = 3 if mixtures == EIGHT else 2
        yield from (({"domain": domain}, 1) for domain in COMBINATIONS if len(domains_of(domain)) >= fewest)
        return
    for domain in VALUES_OF[track]:
        for value, weight in value_weights(track, domain, distractors).items():
            yield {"domain": domain, "value": value}, weight


def sample(  # noqa: PLR0917 - the parts of an identity, as `Benchmark.sample` hands them over
    bank: KivaBank,
    track: str,
    setting: str,
    parameters: Parameters,
    facets: Facets,
    streams: Streams,
) -> Scene:
    """Draw the trial of a stratum: states first, then objects, then places, each from a stream of its own."""
    count = int(parameters["in_context"])
    examples = tuple(_examples(bank, track, setting, parameters, facets["domain"], streams)) if count else ()
    return _draw_trial(bank, track, setting, parameters, facets, streams, examples)


def _examples(  # noqa: PLR0917 - as `sample`
    bank: KivaBank, track: str, setting: str, parameters: Parameters, domain: str, streams: Streams
) -> Iterator[Scene]:
    """Draw solved trials of the same domain, each of another value. The values tell nothing about the trial's."""
    once, count = {**parameters, "repeats": 1}, int(parameters["in_context"])
    facets = [{"domain": domain, "change": "yes"}] * count
    if len(domains_of(domain)) == 1:
        values = streams("example values").sample(VALUES_OF[track][domain], count)
        facets = [{**example, "value": value} for example, value in zip(facets, values, strict=True)]
    for at, of_value in enumerate(facets):
        yield _draw_trial(bank, track, setting, once, of_value, _of_example(streams, at), ())


def _of_example(streams: Streams, at: int) -> Named:
    """Return the streams of a solved example, by purpose; `at` is its place, from 0."""
    return lambda purpose: streams("example", at, purpose)


def _draw_trial(  # noqa: PLR0917 - as `sample`
    bank: KivaBank,
    track: str,
    setting: str,
    parameters: Parameters,
    facets: Facets,
    named: Named,
    examples: tuple[Scene, ...],
) -> Scene:
    """Draw a trial of the facets, with solved examples that are drawn already."""
    domain, change, states = facets["domain"], facets["change"] == "yes", named("states")
    found = _draw_arrangements(track, str(parameters["distractors"]), facets, states)
    members = find_members(found, str(parameters.get("mixtures", FOUR)))
    family = _one_of(states, aspect_families(domain))
    start = _draw_starts(found, states)
    kinds = bank.eligible[track, domain, str(parameters["background"])]
    given, test, item = _objects(kinds, named("objects"))
    classification, specification, extrapolation = _places(
        members, family, int(parameters["repeats"]), named("places"), ASKS[setting]
    )
    presentation = str(parameters["presentation"])
    return Scene(
        item=item,
        track=track,
        setting=setting,
        domain=domain,
        values=members.values,
        change=change,
        given=_showing(given, found, start, change=change),
        test=test,
        test_before=members.start,
        test_after=members.right,
        classification=classification,
        specification=specification,
        extrapolation=extrapolation,
        rows=_rows(kinds, (given, test), found, named("rows"), change=change) if presentation == SENTENCE else (),
        examples=examples,
        distractors=str(parameters["distractors"]),
        presentation=presentation,
        background=str(parameters["background"]),
        crop=int(parameters["crop"]),
        wording=str(parameters["wording"]),
    )


def _draw_arrangements(track: str, distractors: str, facets: Facets, stream: Stream) -> tuple[Arrangement, ...]:
    """Draw an arrangement for each domain that changes. A single domain uses the stratum's value, if it has one."""
    domains = domains_of(facets["domain"])
    if len(domains) > 1:
        return tuple([stream.choice(list_combined(part, domains)) for part in domains])
    return (stream.choice(arrangements_of(track, facets["domain"], distractors, facets.get("value"))),)


def _draw_starts(found: tuple[Arrangement, ...], stream: Stream) -> tuple[State, ...]:
    """Draw the start, by domain, of an object with the trial's change."""
    return tuple([_one_of(stream, arrangement.givens) for arrangement in found])


def _showing(object_id: str, found: tuple[Arrangement, ...], start: tuple[State, ...], *, change: bool) -> Showing:
    before, after = apply_changes(found, start)
    return Showing(object=object_id, before=before, after=after if change else before)


def _objects(kinds: Sequence[Sequence[str]], stream: Stream) -> tuple[str, str, str]:
    """Draw a given and a test object of different kinds, every kind alike, and 16 hex digits to name the trial."""
    first = stream.below(len(kinds))
    second = (first + 1 + stream.below(len(kinds) - 1)) % len(kinds)
    return stream.choice(kinds[first]), stream.choice(kinds[second]), f"{stream.word():016x}"


def _rows(
    kinds: Sequence[Sequence[str]],
    used: tuple[str, str],
    found: tuple[Arrangement, ...],
    stream: Stream,
    *,
    change: bool,
) -> tuple[Showing, ...]:
    """Draw one more object with the trial's change, of a third kind where the bank has one."""
    third = [ids for ids in kinds if not set(used) & set(ids)] or kinds
    return (_showing(stream.choice(stream.choice(third)), found, _draw_starts(found, stream), change=change),)


Places = tuple[tuple[tuple[Words, ...], ...], tuple[tuple[Words, ...], ...], tuple[tuple[State, ...], ...]]


def _places(
    members: TrialMembers, family: tuple[Words, ...], repeats: int, stream: Stream, asks: tuple[str, ...]
) -> Places:
    """Order each question's options anew for each repeat: what, how, which, then the next repeat's."""
    classification, specification, extrapolation = [], [], []
    for _ in range(repeats):
        if "what" in asks:
            classification.append(_shuffle_members(stream, family))
        if "how" in asks:
            specification.append(_shuffle_members(stream, members.words))
        extrapolation.append(_shuffle_members(stream, members.pictures))
    return tuple(classification), tuple(specification), tuple(extrapolation)


def _shuffle_members(stream: Stream, members: tuple[T, ...]) -> tuple[T, ...]:
    """Put the members in a uniformly drawn order: of up to four members, by one draw among all orders."""
    if len(members) not in _ORDERS:
        return tuple(stream.shuffle(members))
    ordered: tuple[T, ...] = stream.choice(_ORDERS[len(members)])(members)
    return ordered


def _one_of(stream: Stream, members: tuple[T, ...]) -> T:
    """Draw a member. From a single one nothing is drawn."""
    return members[0] if len(members) == 1 else stream.choice(members)
