"""Rows of VASR: items with seven fresh pictures, the same pictures again, keys alone."""

from collections.abc import Iterator

from bench.making import picture_line, with_pictures, without_pictures
from bench.measuring import Bench, Line, core_seconds
from generator_service.draws import Draw
from generator_service.items import make_item, picture_names

NAME, TRACK, SETTING = "vasr", "composed", "full"
MOST, LEAST_KEYS = (52.0, 1.0), 5_000  # core ms an item, times the yardstick


def situations(bench: Bench) -> Iterator[Line]:
    """Make items with their pictures, and keys; where people are not drawn, say so."""
    mounted = bench.of(NAME)
    if TRACK in mounted.lacking:
        yield Line(name="VASR items with seven pictures", value="not measured", ratio=mounted.lacking[TRACK])
        return
    fresh, unseen = (Draw(mounted.benchmark, mounted.identity(TRACK, SETTING, {}), seed) for seed in ("108", "109"))
    yield picture_line("VASR items with seven fresh pictures", with_pictures(bench.scale, mounted, fresh), MOST)
    item = make_item(mounted, fresh, 0)

    def again() -> None:
        for name in picture_names(item):
            mounted.benchmark.render(mounted.bank, item.scene, name)

    again()
    times = [core_seconds(again) for _ in range(bench.scale.rounds)]
    yield Line(
        name="VASR: one item's pictures drawn again, layers and places cached",
        value=f"{1 / min(times):.1f}/s",
        ratio="not encoded",
    )
    _, keys = without_pictures(bench.scale, mounted, unseen, bench.scale.trials * 5)
    yield Line(
        name="VASR keys without rendering, one core",
        value=f"{keys:,.0f}/s",
        ratio="one key an item",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys >= LEAST_KEYS,
    )
