"""The required contents of the household bank, counted on the bank.

Not every machine has its files.
"""

from collections import defaultdict
from collections.abc import Callable

from generator_service.drawing.bank import ObjectBank, ObjectRecord

VARIANTS = 8
"""A kind counts as chiral, or as safe for a stretch along one axis, if it has so many variants that are."""


def kinds_with(bank: ObjectBank, carries: Callable[[ObjectRecord], bool]) -> set[str]:
    variants: dict[str, int] = defaultdict(int)
    for record in bank.objects:
        variants[record.kind] += carries(record)
    return {kind for kind, count in variants.items() if count >= VARIANTS}


def test_it_holds_80_kinds_of_eight_variants_or_more_each(household: ObjectBank) -> None:
    kinds = {record.kind for record in household.objects}
    assert len(kinds) >= 80
    assert kinds_with(household, lambda _: True) == kinds
    assert len({record.id for record in household.objects}) == len(household.objects)


def test_40_kinds_are_chiral_and_24_may_be_stretched_along_one_axis(household: ObjectBank) -> None:
    assert len(kinds_with(household, lambda record: record.chiral)) >= 40
    assert len(kinds_with(household, lambda record: record.stretches)) >= 24


def test_its_table_says_of_each_picture_what_its_pixels_say(household: ObjectBank) -> None:
    for record in household.objects[::100]:
        covered = household.picture(record.id)[..., 3] >= 128
        assert abs(household.area(record.id) - 1000 * covered.mean()) <= 10
        assert 20 < household.area(record.id) < 700, record.id
