"""From random streams to a Scene: the only user of randomness.

Streams, one per purpose: "states" (option set and order, which aspect is left out), "objects" (the two objects and
the trial's name), "places" (the order of every question's options). Naming a stream costs as much as six draws, so
that the questions of a trial share the last one.
"""

from itertools import combinations, permutations
from typing import TypeVar

from generator_service.benchmark import Parameters, Streams
from generator_service.benchmarks.kiva.arrangements import Arrangement, arrangements_of
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.spec import ASPECT, ASPECTS, DOMAINS, FULL, Scene, State
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream

T = TypeVar("T")

_ORDERS = {count: tuple(permutations(range(count))) for count in (2, 3)}
# Three of the four aspects, the right one always among them: the two wrong ones are a uniform choice.
_ASPECTS_SHOWN = {
    domain: tuple((ASPECT[domain], *two) for two in combinations([a for a in ASPECTS if a != ASPECT[domain]], 2))
    for domain in DOMAINS
}


def sample(  # noqa: PLR0917 - the parts of an identity, as `Benchmark.sample` hands them over
    bank: KivaBank,
    track: str,
    setting: str,
    parameters: Parameters,
    facets: Facets,
    streams: Streams,
) -> Scene:
    """Draw the trial of a cell: states first, then objects, then places, each from a stream of its own."""
    domain = facets["domain"]
    states = streams("states")
    found = states.choice(arrangements_of(domain, str(parameters["distractors"]), facets["value"]))
    aspects = states.choice(_ASPECTS_SHOWN[domain])
    given, test, item = _objects(bank, domain, streams("objects"))
    change = facets["change"] == "yes"
    classification, specification, extrapolation = _places(
        found, aspects, int(parameters["repeats"]), streams("places"), verbal=setting == FULL
    )
    return Scene(
        item=item,
        track=track,
        domain=domain,
        value=found.value,
        change=change,
        given=given,
        test=test,
        given_before=found.start,
        given_after=found.right if change else found.start,
        test_before=found.start,
        classification=classification,
        specification=specification,
        extrapolation=extrapolation,
        presentation=str(parameters["presentation"]),
        background=str(parameters["background"]),
    )


def _objects(bank: KivaBank, domain: str, stream: Stream) -> tuple[str, str, str]:
    """Draw a given and a test object of different kinds, every kind alike, and 16 hex digits to name the trial."""
    kinds = bank.eligible[domain]
    first = stream.below(len(kinds))
    second = (first + 1 + stream.below(len(kinds) - 1)) % len(kinds)
    return stream.choice(kinds[first]), stream.choice(kinds[second]), f"{stream.word():016x}"


def _places(
    found: Arrangement, aspects: tuple[str, ...], repeats: int, stream: Stream, *, verbal: bool
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...], tuple[tuple[State, ...], ...]]:
    """Order each question's options anew for each repeat: what, how, which, then the next repeat's."""
    classification, specification, extrapolation = [], [], []
    for _ in range(repeats):
        if verbal:
            classification.append(_shuffled(stream, aspects))
            specification.append(_shuffled(stream, (found.value, found.wrong_value)))
        extrapolation.append(_shuffled(stream, (found.right, found.wrong, found.start)))
    return tuple(classification), tuple(specification), tuple(extrapolation)


def _shuffled(stream: Stream, members: tuple[T, ...]) -> tuple[T, ...]:
    """Put the members in a uniformly drawn order, by one draw among all orders."""
    return tuple([members[place] for place in stream.choice(_ORDERS[len(members)])])
