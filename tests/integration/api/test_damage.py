"""What is damaged is not served: it is 503 by name, an error in the log once, and shown by the health check."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient

from api.app import create_app
from api.database.__main__ import main
from api.database.checking import check_once_a_day
from api.database.schema import commitments, scrubs
from api.settings import ApiSettings
from tests.damaging import zero_pages
from tests.integration.api.conftest import Client
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team
from tests.integration.conftest import MakeDatabase
from tests.serving import variables
from tetrad.server.damage import forget_damage, known_damage
from tetrad.server.database import make_engine
from tetrad.server.database_damage import DatabaseDamagedError, damage_of

PAGE = 4096
FLIP = (b'"verdict":"correct"', b'"verdict":"wrong__"')
DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "a verdict is flipped": lambda body: body.replace(*FLIP, 1),
    "half of it is there": lambda body: body[: len(body) // 2],
    "it is gone": lambda _: None,
}


@pytest.mark.parametrize("harm", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_report_is_served_in_no_form(
    harm: Callable[[bytes], bytes | None],
    team: Team,
    scoring: Scoring,
    engine: sa.Engine,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = team.client
    scored, other = finished(team), finished(team)
    for submission in (scored, other):
        scoring.score(team, submission)
    name, whole = f"reports/{scored}/1.json", scoring.store.get(f"reports/{scored}/1.json")
    assert whole is not None
    harmed = harm(whole)
    assert harmed != whole
    paths = [
        f"/v1/submissions/{scored}/{part}" for part in ("report", "report?format=csv", "report?revision=1", "items")
    ]
    paths += [f"/v1/comparisons?a={other}&b={scored}", f"/v1/comparisons?a={scored}&b={other}"]
    scoring.store.delete(name) if harmed is None else scoring.store.put(name, harmed)
    for path in paths:
        reply = team.get(path)
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "3600"), path
        assert f"{name} is damaged" in reply.json()["detail"]
    assert team.get(f"/v1/submissions/{other}/report").status_code == 200
    health = client.get("/health/ready").json()
    assert list(health["damage"]) == [name], "others are served, so the process stays ready"
    assert [record.levelno for record in caplog.records if "alarm" in record.message] == [logging.ERROR]
    scoring.store.put(name, whole)
    assert {team.get(path).status_code for path in paths} == {200}
    forget_damage(engine, name)
    assert "damage" not in client.get("/health/ready").json()


def test_a_changed_entry_of_the_log_is_not_served(client: Client, team: Team, engine: sa.Engine) -> None:
    for _ in range(4):
        team.open(size=1)
    with engine.begin() as connection:
        connection.execute(sa.update(commitments).where(commitments.c.number == 3).values(commitment="0" * 64))
    pages = {after: client.get(f"/v1/commitments?after={after}&limit=1") for after in range(4)}
    assert {after: page.status_code for after, page in pages.items()} == {0: 200, 1: 200, 2: 503, 3: 200}
    assert "entry 3 of the log of commitments is damaged" in pages[2].json()["detail"]
    assert list(client.get("/health/ready").json()["damage"]) == ["entry 3 of the log of commitments"]


def test_a_damaged_database_is_not_ready_and_names_itself(
    team: Team, scoring: Scoring, engine: sa.Engine, tmp_path: Path, settings: ApiSettings
) -> None:
    client = team.client
    scored = finished(team)
    scoring.score(team, scored)
    assert client.get("/health/ready").status_code == 200
    client.app.state["context"].engine.dispose()  # its connections have pages in memory
    engine.dispose()
    zero_pages(tmp_path / "api.db", "reports")
    replies = [client.get(path) for path in ("/v1/leaderboards/trio?track=plain", f"/v1/submissions/{scored}/report")]
    told = [(reply.status_code, "database is damaged" in reply.json().get("detail", "")) for reply in replies]
    assert told == [(503, True), (503, True)]
    health = client.get("/health/ready")
    assert (health.status_code, health.json()["database"]) == (503, "damaged")
    assert "api.db is damaged" in health.json()["damage"]["database"]
    with pytest.raises(ExceptionGroup) as refused, TestClient(create_app(settings)):
        pass
    assert refused.group_contains(DatabaseDamagedError, match=r"api\.db is damaged .*restore it")


def test_the_check_before_a_backup_ends_with_what_is_damaged(
    settings: ApiSettings,
    tmp_path: Path,
    engine: sa.Engine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in variables("TETRAD_API", settings).items():
        monkeypatch.setenv(name, value)
    main([])
    assert "no damage was found" in capsys.readouterr().out
    engine.dispose()
    zero_pages(tmp_path / "api.db", "damages")
    with pytest.raises(SystemExit, match=r"api\.db is damaged"):
        main([])


HARMED = """
CREATE TABLE harmed AS SELECT n, repeat(md5(n::text), 9) AS t FROM generate_series(1, 999) n;
CREATE TABLE indexed AS SELECT n, md5(n::text) AS t FROM generate_series(1, 999) n;
CREATE UNIQUE INDEX harmed_index ON indexed (t)
"""
POSTGRES_HARMS = {"full read": (False, "harmed"), "table": (True, "harmed"), "index": (True, "harmed_index")}


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
@pytest.mark.parametrize(("with_amcheck", "relation"), POSTGRES_HARMS.values(), ids=POSTGRES_HARMS)
def test_a_postgres_is_read_and_its_damage_told(
    *, with_amcheck: bool, relation: str, database_url: str, postgres: Any, new_postgres: MakeDatabase
) -> None:
    engine = make_engine(database_url)
    with engine.begin() as connection:
        connection.execute(sa.text(HARMED + ("; CREATE EXTENSION amcheck" if with_amcheck else "")))
        path = connection.execute(sa.text(f"SELECT pg_relation_filepath('{relation}')")).scalar_one()
    check_once_a_day(engine)
    assert damage_of(engine) is None
    assert not check_once_a_day(engine), "it did within a day"
    engine.dispose()
    new_postgres("copied", "api")  # its files are written by now
    with (Path(postgres.pgdata) / path).open("r+b") as file:
        file.seek(PAGE * 2 + 200)
        file.write(b"\xff" * PAGE)
    harmed = make_engine(new_postgres("harmed", "api"))  # a copy of the files: no page of them is in memory
    with harmed.begin() as connection:
        connection.execute(sa.delete(scrubs))
    check_once_a_day(harmed)
    assert list(known_damage(harmed)) == ["database"]
    assert "the database harmed is damaged" in str(damage_of(harmed))
    assert check_once_a_day(harmed), "what was damaged is checked again at the next start"
    harmed.dispose()
