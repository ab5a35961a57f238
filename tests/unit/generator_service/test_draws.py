"""Seeds, streams, strata and identities: idea 1 and 3 of the design."""

import json
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from generator_service.draws import Draw, SeedError, balanced_unit, checked_seed, sealed_seed
from generator_service.finding import find_benchmarks
from generator_service.items import make_item
from generator_service.mounting import Mounted
from tetrad.canonical import canonical_bytes, digest
from tetrad.commitments import commitment_of
from tetrad.contracts.items import DrawIdentity
from tetrad.streams import Stream

TOYS = Path(__file__).parents[2] / "toy_benchmarks"
IDENTITY = DrawIdentity(benchmark="toy", version=1, bank="none", track="toy", setting="full", parameters={"tint": 0})


@pytest.fixture(scope="module")
def mounted() -> Mounted:
    toy = next(benchmark for benchmark in find_benchmarks([TOYS]) if benchmark.name == "toy")
    return Mounted(toy, None, "none")


def _bytes(mounted: Mounted, draw: Draw, index: int) -> bytes:
    item = make_item(mounted, draw, index)
    return msgspec.json.encode(item.questions)


def test_adjacent_identity_fields_never_collide() -> None:
    pairs: list[tuple[str | int, str | int]] = [
        ("ab", "c"),
        ("a", "bc"),
        ("abc", ""),
        ("", "abc"),
        (1, "1"),
        ("1", 1),
        (1, 1),
        (True, 1),
        (1, True),
    ]
    encoded = [canonical_bytes(*pair) for pair in pairs]
    assert len(set(encoded)) == len(pairs)
    assert canonical_bytes(["a", "b"], "c") != canonical_bytes(["a"], "b", "c")
    assert canonical_bytes({"a": 1, "b": 2}) == canonical_bytes({"b": 2, "a": 1})
    assert canonical_bytes(None) != canonical_bytes("None")


def test_a_float_has_no_canonical_form() -> None:
    with pytest.raises(TypeError, match="no canonical form"):
        canonical_bytes(1.5)  # type: ignore[arg-type]


def test_every_field_of_the_identity_changes_seeded_streams_and_the_commitment() -> None:
    variants = [
        IDENTITY,
        msgspec.structs.replace(IDENTITY, benchmark="toyt", track="oy"),
        msgspec.structs.replace(IDENTITY, version=2),
        msgspec.structs.replace(IDENTITY, bank="nonetoy", track=""),
        msgspec.structs.replace(IDENTITY, setting="shade-only"),
        msgspec.structs.replace(IDENTITY, parameters={"tint": 5}),
        msgspec.structs.replace(IDENTITY, parameters={"tint": "0"}),
    ]
    commitments = {
        commitment_of(variant, seed, size) for variant in variants for seed in ("5", "6") for size in (5, 56)
    }
    assert len(commitments) == len(variants) * 4


def test_seed_1_item_2_is_not_seed_2_item_1(mounted: Mounted) -> None:
    drawn = {
        (seed, index): _bytes(mounted, Draw(mounted.benchmark, IDENTITY, str(seed)), index)
        for seed in range(5)
        for index in range(5)
    }
    assert len(set(drawn.values())) == len(drawn)


def test_an_item_alone_equals_the_same_item_in_a_run_in_any_order(mounted: Mounted) -> None:
    run = [_bytes(mounted, Draw(mounted.benchmark, IDENTITY, "7"), index) for index in range(60)]
    backwards = Draw(mounted.benchmark, IDENTITY, "7")
    assert [_bytes(mounted, backwards, index) for index in reversed(range(60))] == run[::-1]
    assert _bytes(mounted, Draw(mounted.benchmark, IDENTITY, "7"), 41) == run[41]


def test_an_item_is_the_same_in_another_process(mounted: Mounted) -> None:
    here = [digest(_bytes(mounted, Draw(mounted.benchmark, IDENTITY, "9"), index)).hex() for index in (3, 77)]
    program = f"""
import json, msgspec
from pathlib import Path
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.finding import find_benchmarks
from generator_service.mounting import Mounted
from tetrad.canonical import digest
from tetrad.contracts.items import DrawIdentity
toy = next(one for one in find_benchmarks([Path({str(TOYS)!r})]) if one.name == "toy")
identity = msgspec.json.decode({msgspec.json.encode(IDENTITY)!r}, type=DrawIdentity)
draw = Draw(toy, identity, "9")
made = [make_item(Mounted(toy, None, "none"), draw, index).questions for index in (77, 3)]
print(json.dumps([digest(msgspec.json.encode(one)).hex() for one in reversed(made)]))
"""
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert json.loads(there.stdout) == here


def test_a_sealed_seed_needs_secret_submission_and_nonce() -> None:
    seeds = {
        sealed_seed(secret, submission, nonce)
        for secret in (b"a" * 32, b"b" * 32)
        for submission in ("sub_1", "sub_11")
        for nonce in ("1n", "n")
    }
    assert len(seeds) == 8
    assert all(checked_seed(seed) == seed for seed in seeds)


def test_only_one_spelling_of_a_seed_is_accepted() -> None:
    assert checked_seed("0") == "0"
    assert checked_seed(str(2**53 - 1)) == "9007199254740991"
    for wrong in ("", "-1", "01", "1.0", str(2**53), "A" * 64, "g" * 64, "a" * 63, " 1", "\u0661"):
        with pytest.raises(SeedError):
            checked_seed(wrong)


def test_whole_blocks_are_balanced_and_differ_from_each_other(mounted: Mounted) -> None:
    draw = Draw(mounted.benchmark, IDENTITY, "3")
    length = len(balanced_unit(mounted.benchmark.strata("toy", "full", {})))
    assert length == 40
    blocks = [tuple(draw.cell(block * length + place)["shade"] for place in range(length)) for block in range(6)]
    assert all(set(Counter(block).values()) == {10} for block in blocks)
    assert all(first != second for first, second in combinations(blocks, 2))


def test_stream_draws_are_uniform_and_within_bounds() -> None:
    stream = Stream("test", 1)
    counts = Counter(stream.below(6) for _ in range(60_000))
    assert set(counts) == set(range(6))
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 25  # chi-square, 5 d.f.: p < 0.0002
    with pytest.raises(ValueError, match="bound is 0"):
        stream.below(0)


def test_a_stream_is_the_same_everywhere_and_for_ever() -> None:
    stream = Stream("golden", 7)
    assert [stream.below(1000) for _ in range(6)] == [518, 850, 430, 871, 110, 351]
    assert sorted(Stream("golden").shuffle("abcdef")) == list("abcdef")
    assert len(set(Stream("golden").sample(range(100), 5))) == 5
