"""Row of the peers' yardstick: items of reasoning-gym, made by its own Python, beside our keys and items in one run.

Its package has many dependencies, so it is installed in an environment of its own (`pip install
reasoning-gym==0.1.25`), whose Python TETRAD_PEERS_PYTHON names.
"""

import os
import subprocess
from collections.abc import Iterator

from bench.making import with_pictures, without_pictures
from bench.measuring import TRACK, Bench, Line

PYTHON = "TETRAD_PEERS_PYTHON"
TASKS = ("rearc", "arc_1d")  # puzzles of grids, with their answers; no pictures
SCRIPT = """
import sys, time
from reasoning_gym import create_dataset
count = int(sys.argv[2])
items = create_dataset(sys.argv[1], size=2 * count, seed=1)
for number in range(count):
    items[number]
begun = time.process_time()
for number in range(count, 2 * count):
    items[number]
print(1000 * (time.process_time() - begun) / count)
"""


def peers(bench: Bench) -> Iterator[Line]:
    """Compare an item of KiVA, with its pictures and without, with tasks of reasoning-gym."""
    python = os.environ.get(PYTHON, "")
    if not python:
        yield Line(name="items of reasoning-gym", value="not measured", ratio=f"{PYTHON} names a Python that has it")
        return
    drawn, _ = with_pictures(bench.scale, bench.mounted, bench.draw("110"))
    items_a_second, _ = without_pictures(bench.scale, bench.mounted, bench.draw("111"), bench.scale.trials * 5)
    alone = 1000 / items_a_second
    for task in TASKS:
        command = [python, "-c", SCRIPT, task, str(bench.scale.trials)]
        made = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 -- the operator's own
        theirs = float(made.stdout)
        yield Line(
            name=f"an item of reasoning-gym's {task}, grids without pictures",
            value=f"{theirs:.2f} core ms",
            ratio=f"{theirs / alone:.1f} times a {TRACK} item without pictures ({alone:.2f} core ms), "
            f"{theirs / drawn:.2f} of one with all of them as PNG ({drawn:.1f})",
        )
