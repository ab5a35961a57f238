"""The commands that upgrade the two databases before an installation, with nothing but a database's address."""

import os
import subprocess
import sys

import pytest
import sqlalchemy as sa

from tests.integration.conftest import MakeDatabase
from tetrad.server.database import make_engine

COMMANDS = {
    "TETRAD_API_DATABASE_URL": (["api.database", "--upgrade"], "submissions"),
    "TETRAD_GENERATOR_DATABASE_URL": (["generator_service.sealing"], "sealed_draws"),
}


def run(command: list[str], **environment: str) -> "subprocess.CompletedProcess[str]":
    program = [sys.executable, "-m", *command]
    return subprocess.run(program, env=os.environ | environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("variable", COMMANDS)
def test_a_database_is_upgraded_and_again_without_harm(variable: str, new_postgres: MakeDatabase) -> None:
    command, table = COMMANDS[variable]
    url = new_postgres("upgraded")
    for _ in range(2):
        done = run(command, **{variable: url})
        assert done.returncode == 0, done.stderr
        assert "of this version" in done.stdout
    engine = make_engine(url)
    assert table in sa.inspect(engine).get_table_names()
    engine.dispose()


@pytest.mark.parametrize("variable", COMMANDS)
def test_a_missing_address_is_named(variable: str) -> None:
    done = run(COMMANDS[variable][0])
    assert (done.returncode, variable in done.stderr) == (1, True)
