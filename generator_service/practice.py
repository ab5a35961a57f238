"""Practice items: addressed by identity, seed and index, with nothing hidden."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice

import msgspec

from generator_service.draws import Draw
from generator_service.items import GivenAnswer, Item, RecentItems, make_item, select_asked
from generator_service.mounting import Mounted
from generator_service.parameters import IdentityError, fault, resolve
from generator_service.registry import Registry
from generator_service.sealing.draw_keys import keyed_items
from generator_service.sealing.refusals import check_access, check_size, unknown_benchmark
from tetrad.contracts.answers import PracticeFeedback, Verdict
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity, KeyedQuestion
from tetrad.contracts.wire import Facets
from tetrad.extraction.answers import extract_from
from tetrad.extraction.judging import judge_answer
from tetrad.internal.draws import KeyedItem, RegenerateRequest
from tetrad.internal.practice import (
    CountedItems,
    CountRequest,
    ItemSolution,
    PracticeBatch,
    PracticeBatchItem,
    PracticeItemRequest,
    PracticeRequest,
)

REVEALED = "revealed"
"""What stands in `allowed` for an item of a draw whose seed is public."""
LONGEST_SEARCH = 100_000  # places searched in one request for filtered items, by stratum alone


class CorpusClosedError(Exception):
    """An item, a key or a solution of a fixed corpus was asked for outside of a submission. There it gives none."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is a fixed corpus: its items can't be redrawn, so it gives no practice items, no solutions "
            "and no regenerated draws; open a submission on it, if your team is approved"
        )


@dataclass(frozen=True)
class Chosen:
    """Items of a draw, by index, and the index at which the next ones begin."""

    mounted: Mounted
    draw: Draw
    indexes: list[int]
    next_offset: int | None


class Practice:
    """Practice over one registry. Its only state is what the registry has loaded, and a few recent items."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._recent: RecentItems[tuple[Mounted, Item]] = RecentItems()

    def batch(self, request: PracticeRequest) -> PracticeBatch:
        """Return items from `offset` on.

        Raises:
            IdentityError, TrackUnreadyError, SeedError: as `choose`.
        """
        chosen = self.choose(request)
        places = chosen.draw.block
        return PracticeBatch(
            identity=chosen.draw.identity,
            seed=chosen.draw.seed,
            items=[_batch_item(chosen.mounted, chosen.draw, index) for index in chosen.indexes],
            next_offset=chosen.next_offset,
            counts=count_values(places, chosen.mounted.benchmark.card.filters, request.filters),
            counted=len(places),
        )

    def choose(self, request: PracticeRequest) -> Chosen:
        """Choose items from `offset` on; filters choose indexes by stratum and never change item n.

        Raises:
            IdentityError: something asked for is not on the card.
            TrackUnreadyError: the sources of the track lack something.
            SeedError: the seed is not one.
        """
        mounted, draw = self._find_draw(request)
        card, identity = mounted.benchmark.card, draw.identity
        _check_filters(card, request.filters)
        if request.filters:
            cells = mounted.benchmark.strata(identity.track, identity.setting, identity.parameters)
            check_cells([cell.facets for cell in cells], identity.track, request.filters)
        places = _matching(draw, request)
        return Chosen(mounted, draw, list(islice(places, request.limit)), next(places, None))

    def count(self, request: CountRequest) -> CountedItems:
        """Return how many of the first items ask a question with these facets: clusters of them, as scoring counts.

        Raises:
            IdentityError, TrackUnreadyError, SeedError: as `batch` does.
        """
        mounted, draw = self._find_draw(request.items)
        wanted = request.where.items()
        found = {
            keyed.cluster
            for index in range(request.size)
            for keyed in make_item(mounted, draw, index).questions
            if all(keyed.facets.get(name) in values for name, values in wanted)
        }
        return CountedItems(counted=len(found))

    def item(self, request: PracticeItemRequest) -> tuple[Mounted, Item]:
        """Return the item and what renders it.

        Raises:
            IdentityError: the identity is not one that this instance makes.
        """
        key = msgspec.msgpack.encode((request.identity, request.seed, request.index), order="sorted")
        recent = self._recent.get(key)
        if recent is None:
            mounted, draw = self._draw(request.identity, request.seed)
        else:
            mounted = recent[0]
        if mounted.part == "sealed" and REVEALED not in request.allowed:
            raise _of_sealed_part(request.identity)
        check_access(mounted, request.identity.track, request.allowed)
        if recent is not None:
            return recent
        return self._recent.keep(key, (mounted, make_item(mounted, draw, request.index)))

    def solution(self, request: PracticeItemRequest) -> ItemSolution:
        mounted, item = self.item(request)
        explanation, scene = mounted.benchmark.describe(item.scene)
        return ItemSolution(
            questions=[keyed.question for keyed in item.questions],
            keys={keyed.question.id: keyed.key for keyed in item.questions},
            facets={keyed.question.id: keyed.facets for keyed in item.questions},
            explanation=explanation,
            scene=scene,
        )

    def feedback(self, request: PracticeItemRequest) -> PracticeFeedback:
        """Return a verdict on each answer, in the order of the answers, and the questions that these leave open.

        Of several answers to one question the last decides what opens.

        Raises:
            NeverOpenedError: an answer is to a question that the others do not open.
        """
        mounted, item = self.item(request)
        questions = {keyed.question.id: keyed for keyed in select_asked(mounted, item, request.answers)}
        answered = {answer.question for answer in request.answers}
        return PracticeFeedback(
            verdicts=[judge(questions[answer.question], answer) for answer in request.answers],
            open=[keyed.question for name, keyed in questions.items() if name not in answered],
        )

    def regenerate(self, request: RegenerateRequest) -> list[KeyedItem]:
        """Return the keys of a draw whose seed is public, or of some of its items, given their answers.

        Raises:
            IdentityError: this instance does not make this draw, or the draw is too large.
            NeverOpenedError: an answer is to a question that the others do not open.
        """
        mounted, draw = self._draw(request.identity, request.seed)
        check_size(mounted, request.size)
        items = range(request.size)[request.first :]
        items = items if request.count is None else items[: request.count]
        return keyed_items(mounted, draw, items, request.answers)

    def open_draw(self, identity: DrawIdentity, seed: str) -> tuple[Mounted, Draw]:
        """Return the draw of an identity, and what renders it, from practice parts of sources alone.

        Who may draw from the sources was decided when the identity was made.

        Raises:
            IdentityError: this instance does not make this draw, or it is from sealed parts.
        """
        mounted, draw = self._draw(identity, seed)
        if mounted.part == "sealed":
            raise _of_sealed_part(identity)
        return mounted, draw

    def _draw(self, identity: DrawIdentity, seed: str) -> tuple[Mounted, Draw]:
        served = self._find_mounted(identity.benchmark, identity.version)
        mounted = self._registry.of(identity.benchmark, identity.version, identity.bank)
        if mounted is None or mounted.digest_of(identity.track) != identity.bank:
            served.check_ready(identity.track)
            digest = served.digest_of(identity.track)
            problem = f"this instance draws {identity.benchmark} from {served.bank_name} {digest}"
            raise IdentityError([fault("identity.bank", identity.bank, problem, "add the source of that digest")])
        mounted.check_ready(identity.track)
        parameters = resolve(mounted.benchmark.card, identity.track, identity.setting, identity.parameters)
        if parameters != identity.parameters:
            missing = ", ".join(sorted(set(parameters) - set(identity.parameters)))
            raise IdentityError([fault("identity.parameters", missing, "parameters are missing", "give them all")])
        return mounted, Draw(mounted.benchmark, identity, seed)

    def _find_draw(self, request: PracticeRequest) -> tuple[Mounted, Draw]:
        """Return the draw that a request names, if its caller may draw from the sources."""
        mounted = self._find_mounted(request.benchmark, request.version)
        mounted = self._registry.choose(mounted, request.sources, request.track, "practice")
        identity = mounted.identity(request.track, request.setting, request.parameters)
        check_access(mounted, request.track, request.allowed)
        return mounted, Draw(mounted.benchmark, identity, request.seed)

    def _find_mounted(self, name: str, version: int | None) -> Mounted:
        newest = self._registry.newest(name)
        if newest is None:
            raise unknown_benchmark(self._registry, name)
        found = newest if version is None else self._registry.version(name, version)
        if found is None:
            problem = f"this instance has no such version of {name}"
            raise IdentityError([fault("version", version, problem, f"use version {newest.benchmark.version}")])
        if found.benchmark.card.corpus is not None:
            raise CorpusClosedError(name)
        return found


def _of_sealed_part(identity: DrawIdentity) -> IdentityError:
    problem = "these sources keep other pictures for practice than for submissions"
    return IdentityError([fault("identity.bank", identity.bank, problem, "use an id from a list of practice items")])


def _matching(draw: Draw, request: PracticeRequest) -> Iterator[int]:
    wanted = request.filters.items()
    if not wanted:
        return count(request.offset)
    searched = range(request.offset, request.offset + LONGEST_SEARCH)
    return (index for index in searched if wanted <= draw.cell(index).items())


def count_values(
    places: Sequence[Facets], offered: Mapping[str, Sequence[str]], filters: Mapping[str, str]
) -> dict[str, dict[str, int]]:
    """Return how many places of a block have each value of each filter beside the other filters; no item is made."""
    counts = {}
    for name, values in offered.items():
        others = {other: value for other, value in filters.items() if other != name}.items()
        found = Counter(facets.get(name) for facets in places if others <= facets.items())
        counts[name] = {value: found[value] for value in values}
    return counts


def _batch_item(mounted: Mounted, draw: Draw, index: int) -> PracticeBatchItem:
    item = make_item(mounted, draw, index)
    return PracticeBatchItem(index=index, questions=[keyed.question for keyed in item.questions])


def judge(keyed: KeyedQuestion, given: GivenAnswer) -> Verdict:
    """Return the verdict on an answer to a question."""
    read = extract_from(keyed.question, given.answer, given.response, given.stop)
    judged = judge_answer(keyed.key, read.answer)
    return Verdict(
        question=keyed.question.id,
        verdict=judged.verdict,
        answer=read.answer,
        reason=read.reason,
        key=keyed.key.label,
        outcome=judged.outcome,
        begins_inside_thinking=read.begins_inside_thinking,
    )


def _check_filters(card: Card, filters: dict[str, str]) -> None:
    faults = []
    for name, value in filters.items():
        if name not in card.filters:
            known = ", ".join(card.filters) or "no filters"
            faults.append(fault(name, value, "is neither a parameter nor a filter", f"filters here: {known}"))
        elif value not in card.filters[name]:
            faults.append(
                fault(name, value, "is not a value of this filter", f"use one of {', '.join(card.filters[name])}")
            )
    if faults:
        raise IdentityError(faults)


def check_cells(cells: Sequence[Facets], track: str, filters: Mapping[str, str]) -> None:
    """Check that some item of the track matches the filters. Otherwise a client would search page after page in vain.

    Raises:
        IdentityError: no item has a value; the fault names values that some items have. Or no item has all of them.
    """
    faults = []
    for name, value in filters.items():
        here = list(dict.fromkeys(facets[name] for facets in cells if name in facets))
        if value not in here:
            remedy = f"use one of {', '.join(here)}" if here else "leave it out"
            faults.append(fault(name, value, f"no item has it on track {track} with these parameters", remedy))
    if not faults and not any(filters.items() <= facets.items() for facets in cells):
        name, value = list(filters.items())[-1]
        faults.append(
            fault(name, value, "no item has it in combination with the other filters", "leave one of them out")
        )
    if faults:
        raise IdentityError(faults)
