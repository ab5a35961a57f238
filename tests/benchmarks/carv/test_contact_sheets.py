"""The sheets on which a person can look at all 432 states."""

from pathlib import Path

import numpy as np

from generator_service.benchmarks.carv import contact_sheets
from generator_service.benchmarks.carv.spec import VALUES
from generator_service.sources.stage import load_stage
from tetrad.solvers.carv import all_states


def test_every_state_is_on_one_sheet() -> None:
    shown = [state for subject in VALUES["subject"] for state in contact_sheets.states_of(subject)[0]]
    assert len(shown) == len(set(shown)) == len(all_states()) == 432


def test_a_sheet_shows_a_picture_above_each_caption_and_a_seed_draws_other_looks(bank_folder: Path) -> None:
    bank = load_stage(bank_folder)
    page = contact_sheets.sheet(bank, "mug", 0)
    states, columns = contact_sheets.states_of("mug")
    assert page.size == (columns * contact_sheets.CELL, 8 * (contact_sheets.CELL + contact_sheets.LINE))
    pixels = np.asarray(page)
    for place in range(len(states)):
        row, column = divmod(place, columns)
        top, left = row * (contact_sheets.CELL + contact_sheets.LINE), column * contact_sheets.CELL
        picture = pixels[top : top + contact_sheets.CELL, left : left + contact_sheets.CELL]
        line = pixels[
            top + contact_sheets.CELL : top + contact_sheets.CELL + contact_sheets.LINE,
            left : left + contact_sheets.CELL,
        ]
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 500
        assert line.min() < 100
    assert (np.asarray(contact_sheets.sheet(bank, "mug", 1)) != pixels).any()
