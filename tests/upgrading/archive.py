"""Make the archive of a release: `python -m tests.upgrading.archive`. Later trees are tested to upgrade it.

It holds the data directory of an instance of this tree, as its processes left it, and `history.json`. Each release adds
its own, and none is made again: what a release left on people's disks can't be.
"""

import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from msgspec import json

from api.database.schema import metadata
from generator_service.sources.published import add_published, layouts
from generator_service.sources.store import of_folder
from tests.evaluating import models_file
from tests.instance import Instance, running
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream
from tests.photographs import write_photographs
from tests.published import write_marvel
from tests.unit.generator_service.sources.pictures import add
from tests.upgrading.history import CORPUS_ITEMS, History, write_history
from tetrad.server.clock import now_ms
from tetrad.versions import RELEASE

HERE = Path(__file__).parent
TESTS = HERE.parent
BENCHMARKS = f"{TESTS / 'toy_benchmarks'}:{TESTS / 'source_benchmarks'}"
BANK = TESTS.parent / "var" / "sources"
HOME, HISTORY = "home", "history.json"
LEFT_OUT = frozenset({"run", "log"})  # what a start makes anew
LATER = 4_102_444_800_000  # the year 2100, in ms: open draws stay open, and what is paused stays paused


@contextmanager
def starting_on(folder: Path, bank: Path) -> Iterator[tuple[Instance, Upstream]]:
    """Start an instance on folder/home, with the benchmarks of the archive and the server of its model."""
    with (
        running_upstream() as upstream,
        running(folder / HOME, bank, BENCHMARKS, models_file=models_file(folder, upstream)) as instance,
    ):
        yield instance, upstream


def make_archive(path: Path, bank: Path) -> None:
    """Write the archive of this tree.

    Raises:
        FileExistsError: the release has one, which stays.
    """
    if path.exists():
        raise FileExistsError(f"{path.name} is what a release left; raise RELEASE of tetrad/versions.py first")
    with tempfile.TemporaryDirectory(prefix="tetrad-archive-") as name:
        folder = Path(name)
        store = of_folder(folder / HOME / "sources")
        add_published(store, layouts()["marvel"], str(write_marvel(folder / "marvel", CORPUS_ITEMS)))
        add(store, "photographs", write_photographs(folder / "photographs", 12), "own", access="public")
        with starting_on(folder, bank) as (instance, upstream):
            history = write_history(instance, upstream, RELEASE)
        _postpone(folder / HOME / "tetrad.sqlite")
        (folder / HISTORY).write_bytes(json.format(json.encode(history)))
        with tarfile.open(path, "w:xz") as archive:
            archive.add(folder / HISTORY, HISTORY)
            archive.add(folder / HOME, HOME, filter=_leave_out)


def unpack(path: Path, folder: Path) -> History:
    """Unpack an archive, and return what its release said."""
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    return json.decode((folder / HISTORY).read_bytes(), type=History)


def _leave_out(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    parts = Path(member.name).parts
    return None if len(parts) > 1 and parts[1] in LEFT_OUT else member


def _postpone(database: Path) -> None:
    """Let nothing of the archive lapse before it is unpacked: every time that is still ahead becomes `LATER`.

    Leases are left, for a stop ends them.
    """
    engine = sa.create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            for column in table.columns:
                if column.name.endswith(("_at", "_until")) and not column.name.startswith("lease"):
                    ahead = sa.update(table).where(column > now_ms())
                    connection.execute(ahead.values({column.name: LATER}))


if __name__ == "__main__":
    make_archive(HERE / f"{RELEASE}.tar.xz", BANK)
