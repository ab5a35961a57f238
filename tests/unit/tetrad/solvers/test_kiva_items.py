"""The pixel solver on real items of KiVA: what an auditor of the generator relies on."""

from pathlib import Path

import pytest

from generator_service.benchmark import Streams
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import prepare
from generator_service.drawing.bank import load_bank
from generator_service.drawing.canvas import encode_png
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver
from tetrad.streams import StreamFamily

ITEMS = 30


@pytest.mark.parametrize("presentation", ["separate", "composite"])
@pytest.mark.parametrize("background", ["transparent", "white", "black"])
def test_every_question_of_fresh_items_is_answered_rightly(
    bank_folder: Path, presentation: str, background: str
) -> None:
    bank = prepare(load_bank(bank_folder))
    asked = {"presentation": presentation, "background": background}
    parameters = {knob.name: knob.default for knob in BENCHMARK.card.parameters} | asked
    cells = list(BENCHMARK.cells("kiva", "full", parameters))
    wrong = []
    for index in range(ITEMS):
        streams = Streams(StreamFamily(b"solver" * 6, index))
        scene = BENCHMARK.sample(bank, "kiva", "full", parameters, cells[index % len(cells)].facets, streams)
        for keyed in BENCHMARK.questions(scene):
            names = [picture.name for picture in keyed.question.pictures]
            pictures = {name: encode_png(BENCHMARK.render(bank, scene, name)) for name in names}
            messages = find_strategy("direct").messages(keyed.question, pictures, Wording())
            reply = open_solver("pixel-solver").reply(messages)
            if reply != f"({keyed.key.label})":
                wrong.append((keyed.facets, reply, keyed.key.label))
    assert wrong == []
