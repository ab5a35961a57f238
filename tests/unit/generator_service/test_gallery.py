"""The gallery: a sheet for every track and way of showing, and a page that names each right answer."""

from pathlib import Path

from PIL import Image

from generator_service import gallery
from generator_service.registry import find_benchmarks, mount

TOYS = Path(__file__).parents[2] / "toy_benchmarks"


def test_every_track_setting_and_value_has_a_sheet_on_the_page(bank_folder: Path) -> None:
    mounted = mount((one for one in find_benchmarks([TOYS]) if one.name == "toy"), bank_folder).newest("toy")
    assert mounted is not None
    card = mounted.benchmark.card
    found = list(gallery.sheets(mounted))
    values = sum(len(one.values or (one.minimum, one.maximum)) - 1 for one in card.parameters)
    assert len(found) >= len(card.tracks) + len(card.tracks[0].settings) - 1
    assert len(found) <= len(card.tracks) + len(card.tracks[0].settings) - 1 + values + len(card.parameters)
    page = gallery.page([(card.title, found)])
    for sheet in found:
        assert f"gallery/{sheet.stem}.png" in page
        assert all(f"({row.key})" in page for row in sheet.rows)
        assert isinstance(gallery.drawn(sheet), Image.Image)
