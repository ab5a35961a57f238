"""A draw: identity, seed and size. Its items are pure functions of those and their index.

A sealed seed is HMAC-SHA-256 under the instance's secret, over the submission's id and the client's nonce. All three
are needed. The client's nonce shows that the operator did not choose the seed beforehand.
"""

import hashlib
import hmac
from collections.abc import Sequence

from generator_service.benchmark import Benchmark, Stratum, Streams
from generator_service.cache_budget import cache_within_budget
from tetrad.canonical import canonical_bytes, digest
from tetrad.commitments import commitment_of, identity_fields
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream, StreamFamily

LARGEST_SEED = 2**53 - 1
SEED_DIGITS = 64
CELL_ROUNDS = 10  # ARCHITECTURE.md: a block has at least ten times as many places as there are strata


class SeedError(ValueError):
    """The text is not a seed."""


def checked_seed(text: str) -> str:
    """Return the seed in its one form: a decimal integer 0..2**53-1 without leading zeros, or 64 hex digits.

    Raises:
        SeedError: it is neither.
    """
    if len(text) == SEED_DIGITS and set(text) <= set("0123456789abcdef"):
        return text
    if text.isascii() and text.isdecimal() and str(int(text)) == text and int(text) <= LARGEST_SEED:
        return text
    raise SeedError(f"{text[:80]!r} is not a seed; use an integer from 0 to 2^53-1 or 64 lowercase hex digits")


def sealed_seed(secret: bytes, submission: str, nonce: str) -> str:
    """Return the seed (64 hex digits) of a submission's draw."""
    return hmac.new(secret, canonical_bytes("tetrad/seed/1", submission, nonce), hashlib.sha256).hexdigest()


class Draw:
    """The items of one identity and seed. Holds no state but cached blocks of strata."""

    def __init__(self, benchmark: Benchmark, identity: DrawIdentity, seed: str) -> None:
        self.benchmark = benchmark
        self.identity = identity
        self.seed = checked_seed(seed)
        self._digest = digest("tetrad/item/1", *identity_fields(identity), self.seed)
        self._family = StreamFamily(self._digest)
        strata = benchmark.strata(identity.track, identity.setting, identity.parameters)
        self._strata = balanced_unit(strata, least=1 if benchmark.once else CELL_ROUNDS)

    def streams(self, index: int) -> Streams:
        return Streams(self._family.narrow(index))

    def cell(self, index: int) -> Facets:
        """Return the stratum of item `index`, without making the item."""
        block, place = divmod(index, len(self._strata))
        return self._strata[_permutation(self._digest, block, len(self._strata))[place]]

    @property
    def block(self) -> tuple[Facets, ...]:
        """The strata of a block: of every block of every seed, in another order."""
        return self._strata

    def commitment(self, size: int) -> str:
        return commitment_of(self.identity, self.seed, size)


def balanced_unit(strata: Sequence[Stratum], least: int = CELL_ROUNDS) -> tuple[Facets, ...]:
    """Return the places of one block: at least `least` for each stratum on average, shared out by weight."""
    total = sum(cell.weight for cell in strata)
    rounds = -(-least * len(strata) // total)
    return tuple(cell.facets for cell in strata for _ in range(cell.weight * rounds))


@cache_within_budget(256)
def _permutation(draw: bytes, block: int, length: int) -> tuple[int, ...]:
    return Stream(draw, block, "strata").shuffle(range(length))
