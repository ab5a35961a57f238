"""Sealed draws: make one for a submission, ask its questions, reveal its keys. Addressed by submission id only.

The answers gated on decide which questions of an item are open. Whoever holds the api's token may send answers that
were never sealed. So an answer is recorded for good before the questions that it opens are worked out, even if the
request fails later. An answer to a closed question is always refused in the same words, so the refusal does not tell
what would open the question.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import sqlalchemy as sa

from generator_service.draws import Draw
from generator_service.items import Item, RecentItems, extract, make_item, picture_names
from generator_service.mounting import Mounted
from generator_service.registry import Registry
from generator_service.sealing.answer_digests import answer_rows, frozen_digest
from generator_service.sealing.draw_keys import check_items, keyed_items
from generator_service.sealing.record import Gated, Place, Record, RecordConflictError, StoredDraw, compare
from generator_service.sealing.refusals import check_access, check_size, unknown_benchmark
from generator_service.sealing.secret_ring import MissingSecretError, SecretRing
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import DrawIdentity
from tetrad.internal.draws import AskedItem, DrawKeys, DrawRequest, ItemAnswers, KeyedItem, OpenDraws, SealedDraw
from tetrad.internal.packed_keys import without_other_words

PAGE = 1000
NOT_OPEN = "an answer is to a question that is not open"


class UnknownDrawError(LookupError):
    """No draw is sealed for this submission, or it has no such item."""


class UnloadableVersionError(Exception):
    """Draws are open whose benchmark version is not loaded."""


class Sealing:
    """Sealed draws over one set of secrets, one record and one registry. Its only other state is a few recent items."""

    def __init__(self, secrets: str, record: Record, registry: Registry) -> None:
        self._ring = SecretRing.read(secrets)
        self._record = record
        self._registry = registry
        self._recent: RecentItems[tuple[Mounted, Item]] = RecentItems()
        self._recent_draws: RecentItems[StoredDraw] = RecentItems()

    def check_secrets(self, lost: Sequence[str] = ()) -> None:
        """Check that the secret of every open draw is here. Draws of secrets given up as `lost` are closed.

        Raises:
            MissingSecretError: a rotation, or a restore without secrets, left out one that open draws need.
        """
        self._record.adopt(self._fit)
        if lost:
            self._record.close_of_secrets(lost)
        needed = self._record.open_secrets()
        missing = [
            f"{count} open draws need {secret or 'one'}"
            for secret, count in needed.items()
            if secret not in self._ring.ids
        ]
        if missing:
            raise MissingSecretError(
                f"seed secrets are missing: {', '.join(missing)}; put them back behind the current one in "
                "TETRAD_GENERATOR_SEED_SECRET, or give them up for good by their ids in TETRAD_GENERATOR_LOST_SECRETS"
            )

    def open_draws(self, after: str) -> OpenDraws:
        """Return a page of the draws that are neither revealed nor closed."""
        found = self._record.open_draws(after, PAGE)
        following = found[-1].submission if len(found) == PAGE else None
        return OpenDraws(loaded=self._ring.ids, draws=found, next=following)

    def close(self, submissions: Sequence[str]) -> int:
        """Close draws that nobody can answer any more; return how many were open."""
        return self._record.close_draws(submissions)

    def pack(self, submissions: Sequence[str]) -> int:
        """Pack what was recorded of the answers of these draws, where they are revealed; return how many were."""
        return sum(self._record.pack(submission) for submission in submissions)

    def check_versions(self) -> None:
        """Check that every open draw can still be asked.

        Raises:
            UnloadableVersionError: an upgrade dropped a version, or its object bank, that open draws need.
        """
        lost = [
            f"{count} open of {name} version {version} with bank {bank[:12]}"
            for (name, version, bank), count in sorted(self._record.count_unrevealed().items())
            if self._registry.of(name, version, bank) is None
        ]
        if lost:
            remedy = (
                "keep that version in the folder's OLDER, and that source in the store (the same files added again "
                "will do: tetrad source add); or start the release before again until they close "
                "(in that release, tetrad admin secrets closes those that nobody can answer any more)"
            )
            raise UnloadableVersionError(f"{', '.join(lost)}: {remedy}")

    def seal(self, request: DrawRequest) -> SealedDraw:
        """Seal a draw under the newest version, write it down, and return the commitment.

        Raises:
            IdentityError: no such benchmark, track, setting or parameter, or too many items.
            UnknownDrawError: there is no draw to share.
            RecordConflictError: the submission has another draw, or the one to share is another or closed.
        """
        if request.shares is not None:
            return self._share(request, self._find(request.shares))
        known = self._record.find(request.submission)
        mounted = self._newest(request.benchmark) if known is None else self._find_mounted(known)
        mounted = self._registry.choose(mounted, request.sources, request.track, "sealed") if known is None else mounted
        identity = mounted.identity(request.track, request.setting, request.parameters)
        check_access(mounted, request.track, request.allowed)
        check_size(mounted, request.size)
        secret = self._ring.current if known is None or known.secret is None else known.secret
        draw = Draw(mounted.benchmark, identity, self._ring.seed(secret, request.submission, request.nonce))
        sealed = SealedDraw(
            submission=request.submission,
            identity=identity,
            size=request.size,
            commitment=draw.commitment(request.size),
        )
        return self._record.seal(sealed, request.nonce, secret)

    def _share(self, request: DrawRequest, shared: StoredDraw) -> SealedDraw:
        """Give a submission the draw of another: while both are sealed, or once its seed is public."""
        mounted = self._find_mounted(shared)
        identity = mounted.identity(request.track, request.setting, request.parameters)
        if (identity, request.size) != (shared.sealed.identity, shared.sealed.size):
            raise RecordConflictError(f"the draw of submission {request.shares} has another identity or size")
        check_access(mounted, request.track, request.allowed)
        if shared.closed and not shared.revealed:
            raise RecordConflictError(f"the draw of submission {request.shares} is closed")
        sealed = msgspec.structs.replace(shared.sealed, submission=request.submission)
        if shared.seed is not None:
            return self._record.seal(sealed, "", self._ring.current, drawn_for=shared.root, seed=shared.seed)
        secret = shared.secret or self._ring.current
        return self._record.seal(sealed, shared.nonce, secret, drawn_for=shared.root)

    def ask(self, submission: str, items: Sequence[ItemAnswers]) -> list[AskedItem]:
        """Gate on these sealed answers, for good, and return all questions they opened.

        Raises:
            UnknownDrawError: no such draw or item.
            RecordConflictError: an answer differs from one gated on before or is to a question that is not open, or
                the draw is revealed.
        """
        stored = self._find(submission)
        if not self._record.is_answerable(stored):
            raise RecordConflictError(f"submission {submission} is revealed; its draw is closed")
        mounted, draw = self._open(stored)
        made = {entry.item: self._item(stored, mounted, draw, entry.item) for entry in items}
        answers = [answer for entry in items for answer in _of_item(entry)]
        opened = _gate(self._record, submission, mounted, made, answers)
        shown = {index: _only(item, opened[index]) for index, item in made.items()}
        return [
            AskedItem(item=index, questions=[keyed.question for keyed in item.questions])
            for index, item in shown.items()
        ]

    def opened_item(self, submission: str, index: int, names: Sequence[str] = ()) -> tuple[Mounted, Item]:
        """Return item `index` with the questions that have opened, and the benchmark that renders these pictures.

        Open questions stay open, so pictures may come from an item or a draw that was cached a moment ago.

        Raises:
            UnknownDrawError: no such draw or item.
        """
        recent = self._recent.get((submission, index))
        if recent is not None and _has(recent[1], names):
            return recent
        stored = self._recent_draws.get(submission)
        made = None if stored is None else self._opened_item(stored, index)
        if made is None or not _has(made[1], names):  # it may be revealed by now, which opens all
            made = self._opened_item(self._recent_draws.keep(submission, self._find(submission)), index)
        return self._recent.keep((submission, index), made)

    def _opened_item(self, stored: StoredDraw, index: int) -> tuple[Mounted, Item]:
        mounted, draw = self._open(stored)
        item = self._item(stored, mounted, draw, index)
        if not stored.revealed:
            item = _only(item, _gate(self._record, stored.sealed.submission, mounted, {index: item}, [])[index])
        return mounted, item

    def reveal(self, submission: str, answers: Sequence[SealedAnswer], by: int | None = None) -> DrawKeys:
        """Close the draw and return its seed and the keys of every question that was asked.

        With `by`, the keys are left out: `keys_of_range` returns them, for so many items at a time.

        Raises:
            UnknownDrawError: no such draw.
            NeverOpenedError: an answer is to a question that the others do not open; with `by`, to no item of the draw.
            RecordConflictError: an answer differs from the one gated on, or the draw was revealed with other answers.
        """
        stored = self._find(submission)
        mounted, draw = self._open(stored)
        every, keyed = range(stored.sealed.size), list[KeyedItem]()
        if by is None:
            made = keyed_items(mounted, draw, every, answers, self._record.extracted_answers(submission, every))
            keyed = [msgspec.structs.replace(item, questions=without_other_words(item.questions)) for item in made]
        else:
            check_items(every, [answer.item for answer in answers])
        self._record.reveal(submission, answers, draw.seed, by)
        return DrawKeys(
            identity=stored.sealed.identity,
            size=stored.sealed.size,
            seed=draw.seed,
            commitment=stored.sealed.commitment,
            items=keyed,
        )

    def keys_of_range(self, submission: str, number: int, answers: Sequence[SealedAnswer]) -> list[KeyedItem]:
        """Return the keys of one range (from 0) of a draw that was revealed by ranges.

        Raises:
            UnknownDrawError: no such draw, or it was not revealed with such a range.
            NeverOpenedError: an answer to a question that the others do not open.
            RecordConflictError: it was revealed with other answers to these items.
        """
        stored = self._find(submission)
        frozen = stored.ranges
        if frozen is None or not 0 <= number < len(frozen.digests):
            raise UnknownDrawError(f"submission {submission} was not revealed with a range {number}")
        if frozen_digest(answer_rows(answers)) != frozen.digests[number]:
            raise RecordConflictError(f"submission {submission} was revealed with other answers")
        mounted, draw = self._open(stored)
        items = range(stored.sealed.size)[number * frozen.by : (number + 1) * frozen.by]
        return keyed_items(mounted, draw, items, answers, self._record.extracted_answers(submission, items))

    def _seed(self, stored: StoredDraw) -> str:
        """Return the draw's seed: the one written at the reveal, or the one computed from its secret.

        Raises:
            MissingSecretError: the secret is not here.
            RecordConflictError: the draw is closed and its nonce forgotten.
        """
        if stored.seed is not None:
            return stored.seed
        if stored.closed:
            raise RecordConflictError(f"the draw of submission {stored.sealed.submission} is closed")
        return self._ring.seed(stored.secret or self._ring.current, stored.root, stored.nonce)

    def _fit(self, row: sa.Row[tuple[object, ...]]) -> tuple[str, str] | None:
        """Return the id of a draw's secret, and its seed. The commitment tells which secret fits; None if none does."""
        identity = msgspec.json.decode(row.identity, type=DrawIdentity)
        for secret in self._ring.ids:
            seed = self._ring.seed(secret, str(row.submission), str(row.nonce))
            if commitment_of(identity, seed, row.size) == row.commitment:
                return secret, seed
        return None

    def _find(self, submission: str) -> StoredDraw:
        stored = self._record.find(submission)
        if stored is None:
            raise UnknownDrawError(f"no draw is sealed for {submission!r}")
        return stored

    def _newest(self, name: str) -> Mounted:
        mounted = self._registry.newest(name)
        if mounted is None:
            raise unknown_benchmark(self._registry, name)
        return mounted

    def _find_mounted(self, stored: StoredDraw) -> Mounted:
        identity = stored.sealed.identity
        mounted = self._registry.of(identity.benchmark, identity.version, identity.bank)
        if mounted is None:
            raise UnloadableVersionError(
                f"{identity.benchmark} version {identity.version} with bank {identity.bank[:12]} is not loaded here"
            )
        return mounted

    def _open(self, stored: StoredDraw) -> tuple[Mounted, Draw]:
        mounted = self._find_mounted(stored)
        mounted.check_ready(stored.sealed.identity.track)
        return mounted, Draw(mounted.benchmark, stored.sealed.identity, self._seed(stored))

    def _item(self, stored: StoredDraw, mounted: Mounted, draw: Draw, index: int) -> Item:
        if not 0 <= index < stored.sealed.size:
            raise UnknownDrawError(f"item {index} is not in 0..{stored.sealed.size - 1}")
        return make_item(mounted, draw, index)


def _has(item: Item, names: Sequence[str]) -> bool:
    return bool(names) and set(names) <= set(picture_names(item))


def _only(item: Item, opened: Collection[str]) -> Item:
    """Return the item with just these of its questions."""
    return msgspec.structs.replace(
        item, questions=tuple(keyed for keyed in item.questions if keyed.question.id in opened)
    )


def _of_item(entry: ItemAnswers) -> list[SealedAnswer]:
    return [answer for answer in entry.answers if answer.item == entry.item]


def _gate(
    record: Record, submission: str, mounted: Mounted, items: Mapping[int, Item], answers: Iterable[SealedAnswer]
) -> dict[int, tuple[str, ...]]:
    """Gate on these answers to these items, and return the questions of each item that are open or answered then.

    Answers gated on before count, sent again or not.

    Raises:
        RecordConflictError: an answer differs from the one gated on, its question is not open, or the draw is closed.
            Answers that led up to it stay recorded.
    """
    known = record.gated_answers(submission, items)
    waiting = {(answer.item, answer.question): answer for answer in answers}
    for place, answer in waiting.items():
        compare(known.get(place), answer)
    waiting = {place: answer for place, answer in waiting.items() if place not in known}
    extracted = _extracted_by_item(known)
    opened = {
        index: mounted.benchmark.next_questions(item.scene, extracted.get(index, {})) for index, item in items.items()
    }
    while ready := [answer for (index, question), answer in waiting.items() if question in opened[index]]:
        found = {answer: extract(items[answer.item], answer) for answer in ready}
        record.gate(submission, found)
        for answer, answered in found.items():
            extracted.setdefault(answer.item, {})[answer.question] = answered
            del waiting[answer.item, answer.question]
        for index in {answer.item for answer in ready}:
            opened[index] = mounted.benchmark.next_questions(items[index].scene, extracted[index])
    if waiting:
        raise RecordConflictError(NOT_OPEN)
    return opened


def _extracted_by_item(gated: Mapping[Place, Gated]) -> dict[int, dict[str, str | None]]:
    """Return the extracted answers that were gated on, by item and question."""
    found: dict[int, dict[str, str | None]] = {}
    for (index, question), answer in gated.items():
        found.setdefault(index, {})[question] = answer.extracted
    return found
