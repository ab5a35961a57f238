"""Which objects carry which domain."""

from pathlib import Path

import pytest

from generator_service.benchmarks.kiva.eligible import BankTooSmall, prepare
from generator_service.benchmarks.kiva.spec import DOMAINS
from generator_service.drawing.bank import load_bank
from tests.benchmarks.kiva.blocks import BLOCKS, Block, BlockBank


def test_every_distinct_object_carries_every_domain() -> None:
    bank = prepare(BlockBank())
    for domain in DOMAINS:
        assert {name for ids in bank.eligible[domain] for name in ids} == {block.id for block in BLOCKS}
    assert bank.digest == "b" * 64


@pytest.mark.parametrize("domain", ["color", "size", "rotation", "reflection"])
def test_an_object_whose_states_look_alike_carries_no_such_domain(domain: str) -> None:
    bank = prepare(BlockBank(alike=frozenset({("arch-0", domain)})))
    carrying = {of for of in DOMAINS if any("arch-0" in ids for ids in bank.eligible[of])}
    assert carrying == set(DOMAINS) - {domain}


def test_an_object_like_its_mirror_image_neither_turns_nor_flips() -> None:
    ball = Block("ball-0", "ball", chiral=False)
    bank = prepare(BlockBank(objects=(*BLOCKS, ball)))
    assert {domain for domain in DOMAINS if ("ball-0",) in bank.eligible[domain]} == {"color", "size", "number"}


def test_a_bank_of_one_kind_is_refused() -> None:
    with pytest.raises(BankTooSmall, match="1 kinds"):
        prepare(BlockBank(objects=BLOCKS[:2]))


def test_the_built_in_bank_carries_every_domain_with_every_kind(bank_folder: Path) -> None:
    bank = prepare(load_bank(bank_folder))
    kinds = {entry.kind for entry in bank.objects.objects}
    for domain in DOMAINS:
        assert len(bank.eligible[domain]) == len(kinds)
