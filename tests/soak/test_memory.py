"""The memory of the generator of practice is flat after five minutes of it, TETRAD_SOAK_MINUTES long (20)."""

import os
import time
from itertools import cycle
from pathlib import Path
from statistics import median

from bench.processes import mebibytes_by_program
from tests.instance import Instance, running
from tests.ports import free_port
from tetrad.client import Client

MINUTES = float(os.environ.get("TETRAD_SOAK_MINUTES", "20"))
SETTLED = MINUTES / 4  # five of twenty
MOST_GROWTH = 1.05  # of medians: a page that is being made takes tens of MiB for a moment
PLACES = (
    ("marvel", "marvel"),
    ("kiva", "kiva"),
    ("kiva", "kiva-adults"),
    ("kiva", "kiva-compositionality"),
    ("carv", "different-source"),
    ("carv", "shared-source"),
)


def practice_mebibytes(instance: Instance) -> int:
    return mebibytes_by_program(instance.process.pid)["practice"]


def practise(client: Client, name: str, track: str, offset: int) -> None:
    """Fetch a page of items that nobody fetched before, and the pictures of some."""
    page = client.practice(name, track=track, seed=5, offset=offset, limit=20)
    for item in page.items[:4]:
        for picture in item.questions[0].pictures:
            client.picture(str(picture.url))


def test_memory_is_flat_once_the_caches_are_full(tmp_path: Path, bank_folder: Path) -> None:
    held: list[tuple[float, int]] = []
    with running(tmp_path / "home", bank_folder, port=free_port()) as instance, instance.team("soak") as client:
        begun = next_look = time.monotonic()
        for turn, (name, track) in enumerate(cycle(PLACES)):
            practise(client, name, track, 20 * (turn // len(PLACES)))
            if time.monotonic() >= next_look:
                minutes = (time.monotonic() - begun) / 60
                held.append((minutes, practice_mebibytes(instance)))
                print(f"{minutes:.1f} min: {held[-1][1]} MiB, {turn} pages")  # noqa: T201 - a soak is watched
                next_look += 60 * MINUTES / 40
                if minutes > MINUTES:
                    break
    settled = median(size for minutes, size in held if SETTLED < minutes <= 2 * SETTLED)
    at_last = median(size for minutes, size in held if minutes > 3 * SETTLED)
    assert at_last <= settled * MOST_GROWTH, held
