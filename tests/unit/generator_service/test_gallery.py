"""The gallery: a sheet for every track and way of showing, and a page that names each right answer."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replaced
from PIL import Image

from generator_service.finding import find_benchmarks
from generator_service.mounting import NO_BANK, Mounted
from generator_service.proving import gallery
from generator_service.proving.choosing import Chosen
from generator_service.registry import Registry, mount
from generator_service.sources.serving import ServedSources
from generator_service.sources.store import of_folder

TOYS = Path(__file__).parents[2] / "toy_benchmarks"


def test_every_track_setting_and_value_has_a_sheet_on_the_page(bank_folder: Path) -> None:
    mounted = mount(
        (benchmark for benchmark in find_benchmarks([TOYS]) if benchmark.name == "toy"), bank_folder
    ).newest("toy")
    assert mounted is not None
    card = mounted.benchmark.card
    found = list(gallery.sheets(mounted))
    values = sum(len(parameter.values or (parameter.minimum, parameter.maximum)) - 1 for parameter in card.parameters)
    assert len(found) >= len(card.tracks) + len(card.tracks[0].settings) - 1
    assert len(found) <= len(card.tracks) + len(card.tracks[0].settings) - 1 + values + len(card.parameters)
    page = gallery.page([(mounted, found)])
    for sheet in found:
        assert f"gallery/{sheet.stem}.png" in page
        assert all(f"({row.key})" in page for row in sheet.rows)
        assert isinstance(gallery.draw_sheet(sheet), Image.Image)


def test_of_a_benchmark_that_keeps_an_older_version_the_newest_is_shown(tmp_path: Path) -> None:
    toy = next(benchmark for benchmark in find_benchmarks([TOYS]) if benchmark.name == "toy")
    newer = replace(toy, card=replaced(toy.card, version=toy.version + 1))
    both = Registry([Mounted(newer, None, NO_BANK), Mounted(toy, None, NO_BANK)])
    asked_for = Chosen([newer, toy], both, ServedSources(of_folder(tmp_path)))
    assert [mounted.benchmark.version for mounted in asked_for.newest()] == [newer.version]


def test_a_card_without_filters_has_one_row_for_each_track() -> None:
    toy = next(benchmark for benchmark in find_benchmarks([TOYS]) if benchmark.name == "toy")
    mounted = Mounted(replace(toy, card=replaced(toy.card, filters={})), None, NO_BANK)
    first = next(iter(gallery.sheets(mounted)))
    assert [row.name for row in first.rows] == ["toy"]


def test_of_a_card_with_two_filters_each_two_values_that_go_together_have_a_row_with_its_words(
    bank_folder: Path,
) -> None:
    mounted = mount(
        (benchmark for benchmark in find_benchmarks() if benchmark.name == "visanalog"), bank_folder
    ).newest("visanalog")
    assert mounted is not None
    sheet = next(sheet for sheet in gallery.sheets(mounted) if sheet.stem == "visanalog-composed")
    shown = [(row.name, row.also) for row in sheet.rows]
    assert len({*shown}) == len(shown)
    assert {also for name, also in shown if name == "corner and color"} == {f", steps {steps}" for steps in (2, 3, 4)}
    page = gallery.page([(mounted, [sheet])])
    for place, row in enumerate(sheet.rows, 1):
        assert f"\n{place}. {row.name} ({row.key}{row.also}): {row.words}\n" in page
        assert all(option.text in row.words for option in row.item.questions[-1].question.options if option.text)


def test_the_page_names_the_bank_whose_objects_it_shows(bank_folder: Path) -> None:
    mounted = mount(
        (benchmark for benchmark in find_benchmarks() if benchmark.name in {"kiva", "carv", "marvel"}), bank_folder
    )
    pages = {served.benchmark.name: gallery.page([(served, [])]) for served in mounted.all()}
    assert "Objects of the bank `builtin`; an instance may serve another." in pages["kiva"]
    assert "Objects of its own bank, `stage`." in pages["carv"]
    assert "bank" not in pages["marvel"]
    committed = (Path(__file__).parents[3] / "docs" / "gallery.md").read_text("utf-8")
    assert all(pages[name].partition("## ")[2].strip() in committed for name in ("kiva", "carv"))


def test_a_value_that_only_the_last_track_takes_is_shown_there(bank_folder: Path) -> None:
    mounted = mount((benchmark for benchmark in find_benchmarks() if benchmark.name == "kiva"), bank_folder).newest(
        "kiva"
    )
    assert mounted is not None
    card = mounted.benchmark.card
    shown = ("mixtures", "wording")
    fixed = [
        parameter if parameter.name in shown else replaced(parameter, values=(parameter.default,))
        for parameter in card.parameters
    ]
    few = replaced(card, parameters=tuple(fixed), filters={"domain": ("color+size+number",)})
    titles = [sheet.title for sheet in gallery.sheets(replace(mounted, benchmark=replace(mounted.benchmark, card=few)))]
    assert "kiva-compositionality, setting full, mixtures=eight" in titles
    assert "kiva, setting full, wording=child" in titles


def test_rows_are_of_the_values_of_the_filter_that_is_named(
    bank_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mounted = mount(
        (benchmark for benchmark in find_benchmarks() if benchmark.name == "visanalog"), bank_folder
    ).newest("visanalog")
    assert mounted is not None
    first = next(iter(gallery.sheets(mounted, "steps")))
    assert [row.name for row in first.rows] == ["1", "2", "3", "4"]
    assert all(row.item.questions[-1].facets["steps"] == row.name for row in first.rows)
    assert gallery.main(["visanalog", "--by", "size", "--out", str(tmp_path), "--bank", str(bank_folder)]) == 2
    assert gallery.main(["--by", "steps"]) == 2
    said = capsys.readouterr().err
    assert "visanalog has no filter 'size'; use one of asked, steps" in said
    assert "give --out FOLDER" in said
