"""Which objects carry which domain."""

from pathlib import Path

import pytest

from generator_service.benchmarks.kiva.eligible import BankTooSmall, KivaBank, prepare
from generator_service.benchmarks.kiva.spec import ADULTS, COMBINATIONS, COMPOSITIONALITY, DOMAINS, KIVA, TRACKS
from generator_service.drawing.bank import load_bank
from tests.benchmarks.kiva.blocks import BLOCKS, Block, BlockBank


def carried(bank: KivaBank, track: str, name: str) -> set[str]:
    return {
        domain for of, domain in bank.eligible if of == track and any(name in ids for ids in bank.eligible[of, domain])
    }


def test_every_distinct_object_carries_every_domain_of_every_track() -> None:
    bank = prepare(BlockBank())
    assert {track for track, _ in bank.eligible} == set(TRACKS)
    for kinds in bank.eligible.values():
        assert {name for ids in kinds for name in ids} == {block.id for block in BLOCKS}
    assert bank.digest == "b" * 64


@pytest.mark.parametrize("domain", ["color", "size", "rotation", "reflection"])
def test_an_object_whose_states_look_alike_carries_no_such_domain(domain: str) -> None:
    bank = prepare(BlockBank(alike=frozenset({("arch-0", domain)})))
    for track in (KIVA, ADULTS):
        assert carried(bank, track, "arch-0") == set(DOMAINS) - {domain}
    assert carried(bank, COMPOSITIONALITY, "arch-0") == {one for one in COMBINATIONS if domain not in one.split("+")}


def test_an_object_like_its_mirror_image_neither_turns_nor_flips() -> None:
    ball = Block("ball-0", "ball", chiral=False)
    bank = prepare(BlockBank(objects=(*BLOCKS, ball)))
    for track in (KIVA, ADULTS):
        assert carried(bank, track, "ball-0") == {"color", "size", "number"}


def test_a_bank_of_one_kind_is_refused_and_the_place_is_named() -> None:
    with pytest.raises(BankTooSmall, match="track kiva: domain color has 1 kinds"):
        prepare(BlockBank(objects=BLOCKS[:2]))


def test_the_built_in_bank_carries_every_domain_with_every_kind(bank_folder: Path) -> None:
    bank = prepare(load_bank(bank_folder))
    kinds = {entry.kind for entry in bank.objects.objects}
    assert {len(found) for found in bank.eligible.values()} == {len(kinds)}
