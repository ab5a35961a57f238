"""A newer release, for tests: the images of a deployment with one migration more in each service that has some.

The migration adds a table and a column, and says that the release before can live with it.
"""

import shutil
from dataclasses import replace
from pathlib import Path

from tests.deployed.workloads import Workload

CODE = "/srv/tetrad"
VERSIONS = {
    "api": ("api/database/migrations/versions", "submissions"),
    "generator": ("generator_service/sealing/migrations/versions", "sealed_draws"),
}
"""By image: the folder of its migrations, and a table that grows there."""
MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"


def upgrade() -> None:
    op.create_table("of_a_newer_release", sa.Column("id", sa.Integer(), primary_key=True))
    op.add_column("{table}", sa.Column("of_a_newer_release", sa.Text()))
"""
COMMANDS = {
    "api": ("python", "-m", "api.database", "--upgrade"),
    "generator": ("python", "-m", "generator_service.sealing"),
}
"""What a Job runs before an upgrade."""


def make_newer(workload: Workload, folder: Path) -> Workload:
    """Return the workload of the newer release, whose image lies in the folder. Without migrations it is the same."""
    image = workload.environment.get("SERVICE", "")
    if image not in VERSIONS:
        return workload
    (code,) = (mount for mount in workload.mounts if mount.target == CODE)
    copied = folder / image
    if not copied.exists():
        shutil.copytree(code.source, copied)
        _add_migration(copied, image)
    mounts = tuple(replace(mount, source=copied) if mount == code else mount for mount in workload.mounts)
    return replace(workload, mounts=mounts)


def _add_migration(copied: Path, image: str) -> None:
    place, table = VERSIONS[image]
    newest = max(path.stem for path in (copied / place).glob("0*.py"))
    before = newest.partition("_")[0]
    text = MIGRATION.format(revision=f"9999_since_{before}", before=before, table=table)
    (copied / place / "9999_of_a_newer_release.py").write_text(text)


def make_job(workload: Workload) -> Workload:
    """Return the Job that brings the database of a workload to its release's tables, and ends."""
    command = COMMANDS[workload.environment["SERVICE"]]
    entry = workload.command[: workload.command.index("/usr/local/bin/entrypoint.sh") + 1]
    return replace(workload, name=f"migrate-{workload.name}", command=(*entry, *command), needs={}, health=None)
