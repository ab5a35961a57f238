"""A migration that somebody may have run stands still: it takes no tables from the code, which goes on changing."""

import re
import shutil
from pathlib import Path

import pytest

from api.database import upgrading
from generator_service.sealing import migrations

FOLDERS = (upgrading.VERSIONS, Path(migrations.__file__).parent / "versions")
OURS = re.compile(r"^\s*(?:from|import)\s+(?:api|generator_service|tetrad)\b", re.MULTILINE)


def moving(versions: Path) -> list[str]:
    """Return the migrations that import anything of ours."""
    return [path.name for path in sorted(versions.glob("0*.py")) if OURS.search(path.read_text())]


@pytest.mark.parametrize("versions", FOLDERS, ids=lambda path: path.parts[-3])
def test_no_migration_takes_its_tables_from_the_code(versions: Path) -> None:
    assert list(versions.glob("0*.py"))
    assert moving(versions) == []


@pytest.mark.parametrize("versions", FOLDERS, ids=lambda path: path.parts[-3])
def test_a_migration_that_takes_them_from_the_schema_is_found(versions: Path, tmp_path: Path) -> None:
    planted = shutil.copytree(versions, tmp_path / "versions", ignore=shutil.ignore_patterns("__pycache__"))
    (planted / "0009_more.py").write_text("import sqlalchemy as sa\nfrom api.database.schema import metadata\n")
    assert moving(planted) == ["0009_more.py"]
