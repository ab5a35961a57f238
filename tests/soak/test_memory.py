"""An instance's memory is flat after five minutes of practice of all benchmarks, TETRAD_SOAK_MINUTES long (20)."""

import os
import time
from itertools import cycle
from pathlib import Path
from statistics import median

from bench.measuring import SHARED
from bench.processes import mebibytes_by_program
from tests.instance import Instance, running
from tests.ports import free_port
from tetrad.client import Client

MINUTES = float(os.environ.get("TETRAD_SOAK_MINUTES", "20"))
SETTLED = MINUTES / 4  # five of twenty
MOST_GROWTH = 1.05  # of medians: a page that is being made takes tens of MiB for a moment
MOST_MEBIBYTES = 1200  # of all processes, without mapped files of sources
ITEMS, WITH_PICTURES = 20, 4  # of a page


def held(instance: Instance) -> int:
    return sum(mebibytes_by_program(instance.process.pid, mapped_sources=False).values())


def places(client: Client) -> list[tuple[str, str]]:
    """Return benchmark and track of all that this instance can draw: people and photographs where a store has them."""
    return [
        (info.card.name, track.name)
        for info in client.benchmarks().benchmarks
        for track in info.card.tracks
        if track.name not in info.lacking
    ]


def practise(client: Client, name: str, track: str, offset: int) -> None:
    """Fetch a page of items that nobody fetched before, and the pictures of some."""
    page = client.practice(name, track=track, seed=5, offset=offset, limit=ITEMS)
    for item in page.items[:WITH_PICTURES]:
        client.practice_pictures(item.id, [picture.name for picture in item.questions[0].pictures])


def test_memory_is_flat_once_the_caches_are_full(tmp_path: Path, bank_folder: Path) -> None:
    looks: list[tuple[float, int]] = []
    more = os.environ.get(SHARED, "")
    with (
        running(tmp_path / "home", bank_folder, port=free_port(), more_sources=more) as instance,
        instance.team("soak") as client,
    ):
        drawn = places(client)
        begun = next_look = time.monotonic()
        for turn, (name, track) in enumerate(cycle(drawn)):
            practise(client, name, track, ITEMS * (turn // len(drawn)))
            if time.monotonic() >= next_look:
                minutes = (time.monotonic() - begun) / 60
                looks.append((minutes, held(instance)))
                print(f"{minutes:.1f} min: {looks[-1][1]} MiB, {turn} pages of {len(drawn)} tracks", flush=True)  # noqa: T201 - a soak is watched
                next_look += 60 * MINUTES / 40
                if minutes > MINUTES:
                    break
        print(mebibytes_by_program(instance.process.pid, mapped_sources=False))  # noqa: T201 - as above
    settled = median(size for minutes, size in looks if SETTLED < minutes <= 2 * SETTLED)
    at_last = median(size for minutes, size in looks if minutes > 3 * SETTLED)
    assert at_last <= settled * MOST_GROWTH, looks
    assert max(size for _, size in looks) <= MOST_MEBIBYTES, looks
