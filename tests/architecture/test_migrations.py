"""A migration that somebody may have run stands still: it takes no tables from the code, which goes on changing."""

import shutil
from pathlib import Path

import pytest

from api.database.upgrading import VERSIONS

ROOT = Path(__file__).parents[2]


def moving(versions: Path, changelog: str) -> list[str]:
    """Return the migrations that import the schema, once there is a second one or a release."""
    migrations = sorted(versions.glob("0*.py"))
    if len(migrations) == 1 and "## [0.1.0]" not in changelog:
        return []  # nobody runs an earlier commit: CONTRIBUTING, "Until 0.1.0"
    return [path.name for path in migrations if "api.database" in path.read_text()]


def test_no_migration_that_somebody_may_have_run_takes_its_tables_from_the_schema() -> None:
    assert moving(VERSIONS, (ROOT / "CHANGELOG.md").read_text()) == []


@pytest.mark.parametrize(("second", "changelog"), [("0002_more.py", ""), ("", "## [0.1.0] - 2027-01-01")])
def test_a_second_migration_or_a_release_asks_for_the_first_in_full(
    tmp_path: Path, second: str, changelog: str
) -> None:
    versions = shutil.copytree(VERSIONS, tmp_path / "versions", ignore=shutil.ignore_patterns("__pycache__"))
    (versions / "0001_first_tables.py").write_text("from api.database.schema import metadata\n")
    if second:
        (versions / second).write_text("revision = '0002'\n")
    assert moving(versions, changelog) == ["0001_first_tables.py"]
