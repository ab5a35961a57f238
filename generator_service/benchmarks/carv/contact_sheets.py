"""Draw contact sheets of all 432 states for a person to look at: one sheet a subject, each state under its caption.

`python -m generator_service.benchmarks.carv.contact_sheets FOLDER` draws every state in a look of its own; another
--seed draws other views, designs, variants and places.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from PIL import Image, ImageDraw

from generator_service.benchmarks.carv.looks import look
from generator_service.benchmarks.carv.question import caption_of
from generator_service.benchmarks.carv.renderer import render_state
from generator_service.benchmarks.carv.spec import VALUES, State
from generator_service.drawing.stage.stage_bank import StageBank
from generator_service.sources.stage import load_stage
from tetrad.streams import Stream

CELL = 224  # pixels a state
LINE = 16  # pixels for its caption


def states_of(subject: str) -> tuple[list[State], int]:
    """Return the subject's 48 states, a row for each number and relation, and how many stand in a row."""
    across = list(product(VALUES["object"], VALUES["object_color"]))
    down = product(VALUES["spatial_relation"], VALUES["subject_number"])
    return [State(subject, number, *furniture, relation) for relation, number in down for furniture in across], len(
        across
    )


def sheet(bank: StageBank, subject: str, seed: int) -> Image.Image:
    """Draw one subject's states, each in a look drawn for it alone."""
    states, columns = states_of(subject)
    page = Image.new("RGB", (columns * CELL, len(states) // columns * (CELL + LINE)), "white")
    pen = ImageDraw.Draw(page)
    for place, state in enumerate(states):
        row, column = divmod(place, columns)
        left, top = column * CELL, row * (CELL + LINE)
        drawn = render_state(bank, state, look(bank, Stream("carv/contact-sheets", 1, seed, repr(state).encode())))
        page.paste(Image.fromarray(drawn).convert("RGB").resize((CELL, CELL), Image.Resampling.LANCZOS), (left, top))
        pen.text((left + 2, top + CELL + 2), caption_of(state), fill="black")
    return page


def sheets(bank: StageBank, seed: int) -> Iterator[tuple[str, Image.Image]]:
    """Yield each subject with its sheet."""
    for subject in VALUES["subject"]:
        yield subject, sheet(bank, subject, seed)


def main(arguments: list[str]) -> int:
    """Write nine PNGs."""
    parser = ArgumentParser(prog="python -m generator_service.benchmarks.carv.contact_sheets", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the sheets are written")
    parser.add_argument(
        "--bank", type=Path, default=Path("var/sources"), help="the folder of the store that holds the stage"
    )
    parser.add_argument("--seed", type=int, default=0, help="which looks are drawn")
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for subject, page in sheets(load_stage(chosen.bank), chosen.seed):
        path = chosen.folder / f"carv-states-{subject.replace(' ', '-')}.png"
        page.save(path, "PNG")
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
