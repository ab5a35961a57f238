"""Items are solvable from pixels: A and B alone tell the program, in every number of steps."""

from pathlib import Path

import numpy as np
import pytest

from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.bank import VisAnalogBank, prepare
from generator_service.benchmarks.visanalog.programs import PROGRAMS
from generator_service.benchmarks.visanalog.spec import COMPOSED, LADDER, Scene
from generator_service.drawing.bank import ObjectBank
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import Mounted
from tetrad.solvers.visanalog import apply_edit, find_edit

ITEMS = 6


@pytest.fixture(scope="module")
def mounted(builtin_bank: ObjectBank, bank_folder: Path) -> Mounted:
    bank: VisAnalogBank = prepare({"objects": builtin_bank})
    return Mounted(BENCHMARK, bank, builtin_bank.digest)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])
def test_the_program_is_found_in_a_and_b_and_makes_d_of_c(mounted: Mounted, steps: int) -> None:
    draw = Draw(BENCHMARK, mounted.identity(COMPOSED, LADDER, {"steps": steps}), "31")
    for index in range(ITEMS):
        assert_program_is_found(mounted, make_item(mounted, draw, index).scene)


def assert_program_is_found(mounted: Mounted, scene: Scene) -> None:
    """Check that A and B of an item of the ladder tell its program, and that it makes D of C."""
    before, after, query, target = (BENCHMARK.render(mounted.bank, scene, name) for name in "2345")
    found, program = find_edit(before, after), PROGRAMS[scene.program]
    assert (found.zoom, found.swap, found.hue) == (program.zoom, program.swap, program.hue)
    assert 4 * found.mirror + found.turns == program.symmetry
    difference = np.abs(apply_edit(query, found).astype(int) - target.astype(int))
    assert np.quantile(difference, 0.99) <= 3, "but for the order of rounding"


def test_a_picture_that_no_edit_makes_is_found_to_be_far_from_all(mounted: Mounted) -> None:
    """The search returns the nearest edit, whatever it is: the distance tells."""
    noise = np.random.default_rng(3).integers(0, 256, (512, 512, 4), dtype=np.uint8)
    draw = Draw(BENCHMARK, mounted.identity(COMPOSED, LADDER, {}), "31")
    scene = make_item(mounted, draw, 0).scene
    before = BENCHMARK.render(mounted.bank, scene, "2")
    assert np.abs(apply_edit(before, find_edit(before, noise)).astype(int) - noise).mean() > 30
