"""Tests of the objects that can carry each domain."""

from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np
import pytest

from generator_service.benchmarks.kiva.eligible import BankTooSmall, KivaBank, prepare
from generator_service.benchmarks.kiva.spec import (
    ADULTS,
    BACKGROUNDS,
    COMBINATIONS,
    COMPOSITIONALITY,
    DOMAINS,
    KIVA,
    TRACKS,
    VALUES_OF,
)
from generator_service.drawing.bank import ObjectBank
from generator_service.drawing.canvas import Tint, recolor, tint
from tests.benchmarks.kiva.blocks import BLOCKS, VARIANTS, Block, BlockBank
from tests.benchmarks.kiva.trials import trials


def carried(bank: KivaBank, track: str, name: str, background: str = "transparent") -> set[str]:
    return {
        domain
        for (of, domain, on), kinds in bank.eligible.items()
        if (of, on) == (track, background) and any(name in ids for ids in kinds)
    }


def test_every_distinct_object_carries_every_domain_of_every_track() -> None:
    bank = prepare(BlockBank())
    assert {track for track, _, _ in bank.eligible} == set(TRACKS)
    assert {background for _, _, background in bank.eligible} == set(BACKGROUNDS)
    for kinds in bank.eligible.values():
        assert {name for ids in kinds for name in ids} == {block.id for block in BLOCKS}


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


@pytest.mark.parametrize(
    ("unseen", "lost"),
    [
        ({"handed": False}, {"rotation", "reflection"}),
        ({"quarters": False, "eighths": False}, {"rotation", "reflection"}),
        ({"compact": False}, {"rotation", "reflection"}),
        ({"scales": False}, {"size"}),
    ],
    ids=["mirror", "turns", "many bars", "fine teeth"],
)
def test_an_object_on_which_people_do_not_see_a_change_does_not_show_it(
    unseen: dict[str, bool], lost: set[str]
) -> None:
    bank = prepare(BlockBank(objects=(*BLOCKS, Block("fence-0", "fence", **unseen))))
    for track in (KIVA, ADULTS):
        assert carried(bank, track, "fence-0") == set(DOMAINS) - lost


def test_an_object_that_people_see_quarter_turns_of_is_no_object_for_eighths() -> None:
    bank = prepare(BlockBank(objects=(*BLOCKS, Block("star-0", "star", eighths=False))))
    assert carried(bank, KIVA, "star-0") == set(DOMAINS)
    assert carried(bank, ADULTS, "star-0") == {"color", "size", "number"}


def test_an_object_that_does_not_take_on_a_color_is_in_no_trial_with_that_color() -> None:
    bank = prepare(BlockBank(off_color=frozenset({("arch-0", "yellow"), ("bolt-0", "green")})))
    assert "color" in carried(bank, KIVA, "arch-0")
    assert "color" not in carried(bank, ADULTS, "arch-0")
    assert "color" not in carried(bank, KIVA, "bolt-0")


def test_an_object_on_a_diagonal_is_not_stretched_along_one_axis() -> None:
    bank = prepare(BlockBank(objects=(*BLOCKS, Block("ladder-0", "ladder", stretches=False))))
    assert carried(bank, KIVA, "ladder-0") == set(DOMAINS)
    assert carried(bank, ADULTS, "ladder-0") == set(DOMAINS) - {"size"}
    assert carried(bank, COMPOSITIONALITY, "ladder-0") == set(COMBINATIONS)


def test_an_object_that_a_backdrop_swallows_is_not_drawn_there_unless_its_color_shows_it() -> None:
    lost = frozenset({("arch-0", "plain", "white"), ("arch-0", "color:grey", "white"), ("bolt-1", "plain", "black")})
    bank = prepare(BlockBank(lost=lost))
    assert carried(bank, KIVA, "arch-0", "white") == {"color"}, "in red, green and blue it is seen"
    assert carried(bank, ADULTS, "arch-0", "white") == set(), "in grey it is not"
    assert carried(bank, COMPOSITIONALITY, "arch-0", "white") == set()
    assert carried(bank, ADULTS, "bolt-1", "black") == {"color"}
    for name, background in (("arch-0", "black"), ("arch-0", "transparent"), ("bolt-1", "white")):
        assert carried(bank, ADULTS, name, background) == set(DOMAINS)


@pytest.mark.parametrize(("background", "drawn"), [("white", False), ("black", True), ("transparent", True)])
def test_trials_on_a_backdrop_take_the_objects_that_are_seen_there(background: str, drawn: bool) -> None:  # noqa: FBT001 - a table's column
    bank = prepare(BlockBank(lost=frozenset((f"arch-{at}", "plain", "white") for at in range(VARIANTS))))
    seen = {
        name
        for scene in trials(bank, 4, setting="extrapolation-only", background=background)
        if scene.domain == "size"
        for name in (scene.given.object, scene.test)
    }
    assert any(name.startswith("arch-") for name in seen) == drawn


def test_a_bank_of_one_kind_is_refused_and_the_place_is_named() -> None:
    with pytest.raises(BankTooSmall, match=r"track kiva: domain color has 1 kinds .* on a transparent background"):
        prepare(BlockBank(objects=BLOCKS[:2]))


@pytest.mark.parametrize(
    ("bank", "said"),
    [
        (
            BlockBank(objects=tuple(replace(block, stretches=False) for block in BLOCKS)),
            "kiva-adults: domain size has 0 kinds .* add objects of two kinds that don't lie on a diagonal",
        ),
        (
            BlockBank(objects=tuple(replace(block, chiral=False) for block in BLOCKS)),
            "kiva: domain rotation has 0 kinds .* of two kinds that no turn makes their mirror image",
        ),
        (
            BlockBank(lost=frozenset((block.id, "plain", "black") for block in BLOCKS)),
            "kiva: domain size has 0 kinds .* on a black background; add objects of two kinds$",
        ),
    ],
    ids=["diagonal", "symmetric", "black"],
)
def test_a_bank_that_lacks_what_a_domain_asks_is_refused_and_told_what(bank: BlockBank, said: str) -> None:
    with pytest.raises(BankTooSmall, match=said):
        prepare(bank)


def test_the_built_in_bank_carries_every_domain_with_every_kind_but_those_on_a_diagonal(kiva_bank: KivaBank) -> None:
    objects = kiva_bank.objects.objects
    upright = {entry.kind for entry in objects if entry.stretches}
    kinds = {entry.kind for entry in objects}
    assert 12 <= len(upright) < len(kinds)
    # But for its hands a clock is its own mirror image. Bicycles and chairs are of many bars.
    turning = kinds - {"clock", "bicycle", "chair"}
    for (track, domain, _), found in kiva_bank.eligible.items():
        posed = {"rotation", "reflection"} & set(domain.split("+"))
        assert len(found) == len(upright if (track, domain) == (ADULTS, "size") else turning if posed else kinds)


def faded(bank: KivaBank, track: str, domain: str, background: str) -> set[str]:
    """Return the objects that can show the domain, but not on this background."""
    on = {one: {name for ids in bank.eligible[track, domain, one] for name in ids} for one in BACKGROUNDS}
    assert on[background] <= on["transparent"]
    return on["transparent"] - on[background]


def check_by_pixels(bank: KivaBank, each: int) -> None:
    """Look at every `each`th object of each kind on its backdrop: at least half of it is seen, of the others less.

    Domains show the same objects in the same colors, so each of those is looked at once.
    """

    @cache
    def shares(name: str, color: str) -> dict[str, float]:
        return shares_seen(bank, name, color)

    def share(name: str, colors: tuple[str, ...], background: str) -> float:
        return min(shares(name, color)[background] for color in colors)

    for (track, domain, background), kinds in bank.eligible.items():
        if background == "transparent" or track == COMPOSITIONALITY:
            continue
        colors = VALUES_OF[track]["color"] if domain == "color" else ("own",)
        for name in (name for ids in kinds for name in ids[::each]):
            assert share(name, colors, background) >= 0.48, (name, domain, background)
        for name in faded(bank, track, domain, background):
            assert share(name, colors, background) < 0.52, (name, domain, background)


def shares_seen(bank: KivaBank, name: str, color: str) -> dict[str, float]:
    """Return by backdrop which share of an object's pixels is over 24 levels off it, by the rule that shows less."""
    picture = bank.objects.picture(name)
    shown = [picture] if color == "own" else [rule(picture, cast("Tint", color)) for rule in (tint, recolor)]
    solid = [one[one[..., 3] >= 128][:, :3].astype(int) for one in shown]
    return {
        background: min(float((np.abs(pixels - behind).max(axis=1) > 24).mean()) for pixels in solid)
        for background, behind in (("white", 255), ("black", 0))
    }


def test_of_the_built_in_bank_at_least_half_of_every_object_is_seen_on_its_backdrop(kiva_bank: KivaBank) -> None:
    check_by_pixels(kiva_bank, each=20)
    assert 0 < len(faded(kiva_bank, ADULTS, "color", "white")) < 20, "a few fade into white once they are grey"
    assert not faded(kiva_bank, ADULTS, "color", "black")


def test_of_the_household_bank_calendars_are_not_drawn_on_white_nor_pianos_on_black(household: ObjectBank) -> None:
    bank = prepare(household)
    check_by_pixels(bank, each=100)
    kinds = {
        background: {name.rpartition("-")[0] for name in faded(bank, KIVA, "size", background)}
        for background in ("white", "black")
    }
    assert "calendar" in kinds["white"] - kinds["black"]
    assert "grand-piano" in kinds["black"] - kinds["white"]
    for place, found in bank.eligible.items():
        assert len(found) >= 24, place
