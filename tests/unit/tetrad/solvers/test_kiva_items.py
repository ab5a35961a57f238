"""The pixel solver on real items of KiVA: what an auditor of the generator relies on."""

from collections.abc import Collection

import pytest

from generator_service.benchmark import Streams
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.drawing.png import encode_png
from generator_service.parameters import resolve
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver
from tetrad.streams import StreamFamily

ITEMS = 6
TRACKS = ["kiva", "kiva-adults", "kiva-compositionality"]
COUNTED = [domain for domain in BENCHMARK.card.filters["domain"] if "number+" in domain or "+number" in domain]
SHOWN: list[tuple[str, dict[str, ParameterValue]]] = [
    ("full", {"background": "transparent", "no_change": 30}),
    ("full", {"presentation": "composite", "background": "white"}),
    ("extrapolation-only", {"presentation": "sentence", "background": "black"}),
    ("given-classification", {"in_context": 2, "wording": "child", "background": "black"}),
    ("given-specification", {"presentation": "composite"}),
]


# Each way of showing on one track in turn, and the sheet on all.
@pytest.mark.parametrize(
    ("track", "setting", "given"),
    [(TRACKS[number % 3], *shown) for number, shown in enumerate(SHOWN)]
    + [(track, *SHOWN[1]) for track in TRACKS[::2]],
)
def test_every_question_of_fresh_items_is_answered_rightly(
    kiva_bank: KivaBank, track: str, setting: str, given: dict[str, ParameterValue]
) -> None:
    assert _wrong(kiva_bank, track, setting, given, domains=BENCHMARK.card.filters["domain"]) == []


@pytest.mark.parametrize(
    ("setting", "presentation"), [("full", "composite"), ("extrapolation-only", "separate")], ids=["sheet", "plain"]
)
def test_one_of_eight_mixtures_is_found(kiva_bank: KivaBank, setting: str, presentation: str) -> None:
    given: dict[str, ParameterValue] = {"mixtures": "eight", "presentation": presentation}
    assert _wrong(kiva_bank, TRACKS[-1], setting, given, domains=BENCHMARK.card.filters["domain"]) == []


@pytest.mark.parametrize(("track", "crop"), [("kiva", 90), ("kiva-adults", 95), ("kiva", 99)])
def test_a_crop_hides_no_count(kiva_bank: KivaBank, track: str, crop: int) -> None:
    assert _wrong(kiva_bank, track, "extrapolation-only", {"crop": crop, "no_change": 0}, domains=["number"]) == []


@pytest.mark.parametrize("crop", [90, 96])
def test_a_crop_hides_no_count_that_changes_together_with_looks(kiva_bank: KivaBank, crop: int) -> None:
    """Copies cut at one side, then turned, show different parts; sized, they stand two to a row, about the middle."""
    given: dict[str, ParameterValue] = {"crop": crop, "no_change": 0}
    assert _wrong(kiva_bank, TRACKS[-1], "extrapolation-only", given, domains=COUNTED) == []


def _wrong(
    bank: KivaBank, track: str, setting: str, given: dict[str, ParameterValue], *, domains: Collection[str]
) -> list[tuple[Facets, str, str]]:
    """Return the questions answered wrongly: facets, reply and key."""
    parameters = resolve(BENCHMARK.card, track, setting, given)
    cells = [cell for cell in BENCHMARK.strata(track, setting, parameters) if cell.facets["domain"] in domains]
    wrong = []
    for index in range(ITEMS):
        streams = Streams(StreamFamily(b"solver" * 6, index))
        facets = cells[index * 7 % len(cells)].facets
        scene = BENCHMARK.sample(bank, track, setting, parameters, facets, streams)
        pictures: dict[str, bytes] = {}  # questions of an item share most of them
        for keyed in BENCHMARK.questions(scene):
            names = [picture.name for picture in keyed.question.pictures]
            pictures |= {name: encode_png(BENCHMARK.render(bank, scene, name)) for name in {*names} - {*pictures}}
            shown = {name: pictures[name] for name in names}
            messages = find_strategy("direct").messages(keyed.question, shown, Wording())
            reply = open_solver("pixel-solver").reply(messages)
            if reply != f"({keyed.key.label})":
                wrong.append((keyed.facets, reply, keyed.key.label))
    return wrong
