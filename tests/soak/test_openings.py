"""The public log is one whole chain, and holds all that was confirmed, however often openers and Postgres are killed.

TETRAD_SOAK_OPENING_KILLS (50) kills: two openers at a time, and Postgres with all that it has under way at every fifth.
"""

import multiprocessing
import os
import random
import secrets
import signal
import tempfile
import time
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from msgspec.structs import replace

from api.database import schema
from api.database.idempotency import unkept
from api.database.upgrading import upgrade
from api.settings import ApiSettings
from api.submissions.log import log_page
from api.submissions.opening import _write
from tests.integration.api.trio import BANK, card
from tests.integration.test_chained_transactions import Crashing
from tetrad.commitments import first_broken
from tetrad.contracts.log import LogEntry
from tetrad.server.clock import HOUR_MS
from tetrad.server.database import insert_rows, make_engine, read_rows, write_transaction
from tetrad.server.ids import new_id

KILLS = int(os.environ.get("TETRAD_SOAK_OPENING_KILLS", "50"))
OPENERS, EACH = 4, 5  # kills from one of Postgres to the next
MANY = 10**9
CARD = card(2)


def open_until_killed(url: str, number: int, confirmed: Path) -> None:
    """Open submissions of this team, and write down the id of each once it is confirmed."""
    settings = ApiSettings(
        database_url=url,
        store_url="file:///nowhere",
        generator_url="http://127.0.0.1:1",
        generator_practice_token="p" * 32,
        generator_sealed_token="s" * 32,
    )
    settings = replace(settings, open_submissions_cap=MANY, items_a_day_cap=MANY)
    settings = replace(settings, open_submissions_in_all=MANY, items_a_day_in_all=MANY)
    row = {"benchmark": CARD.name, "version": CARD.version, "bank": BANK, "track": "plain", "setting": "full"}
    row |= {"parameters": "{}", "conversation": "fresh", "board": "b", "size": 5, "nonce": "n"}
    row |= {"visibility": "private", "team_id": f"team_{number}", "model_id": f"mdl_{number}"}
    engine = make_engine(url, 2)
    with confirmed.open("ab", buffering=0) as file:
        while True:
            submission = {"id": new_id("sub"), "commitment": secrets.token_hex(32)}
            try:
                _write(engine, settings, CARD, {**row, **submission}, HOUR_MS, address="", keep=unkept)
            except sa.exc.SQLAlchemyError:  # Postgres was killed
                time.sleep(0.1)
                continue
            file.write(f"{submission['id']}\n".encode())


def whole_log(engine: sa.Engine) -> list[LogEntry]:
    entries: list[LogEntry] = []
    while True:
        page = log_page(engine, len(entries), 1000)
        entries += page.entries
        if page.next is None:
            return entries


def check_log(url: str, confirmed: Path) -> int:
    """Check the log beside openers at work: what is read first is in what is read after it."""
    engine, told = make_engine(url), set(confirmed.read_text().split())
    kept = {row.id for row in read_rows(engine, sa.select(schema.submissions.c.id))}
    entries = whole_log(engine)
    engine.dispose()
    assert first_broken(entries) is None
    assert told <= kept <= {entry.submission for entry in entries}, "what was confirmed is there, and in the log"
    return len(entries)


def test_the_log_is_one_chain_and_lacks_nothing_after_every_kill(tmp_path: Path) -> None:
    postgres, rng = Crashing(Path(tempfile.mkdtemp(prefix="tetrad-openings-"))), random.Random(1)
    engine, confirmed = make_engine(postgres.url), tmp_path / "confirmed"
    upgrade(engine)
    teams = [{"id": f"team_{at}", "name": f"n{at}", "title": "T", "created_at": 1} for at in range(OPENERS)]
    with write_transaction(engine) as connection:
        insert_rows(connection, schema.teams, teams)
        models = [{**team, "id": f"mdl_{at}", "team_id": team["id"]} for at, team in enumerate(teams)]
        insert_rows(connection, schema.models, models)
    engine.dispose()
    start = partial(multiprocessing.get_context("fork").Process, daemon=True)
    openers = {at: start(target=open_until_killed, args=(postgres.url, at, confirmed)) for at in range(OPENERS)}
    for opener in openers.values():
        opener.start()
    kills = entries = 0
    while kills < KILLS:
        time.sleep(rng.uniform(0.5, 1.5))
        for at in rng.sample(range(OPENERS), 2):
            os.kill(int(openers[at].pid or 0), signal.SIGKILL)
            openers[at].join()
            openers[at] = start(target=open_until_killed, args=(postgres.url, at, confirmed))
            openers[at].start()
            kills += 1
        if kills % EACH < 2:
            postgres.kill()
            postgres.start_again()
            kills += 1
            entries = check_log(postgres.url, confirmed)
            print(f"{kills} kills, {entries} entries", flush=True)  # noqa: T201 - a soak is watched
    for opener in openers.values():
        opener.kill()
        opener.join()
    entries = check_log(postgres.url, confirmed)
    engine = make_engine(postgres.url)
    opened = read_rows(engine, sa.select(sa.func.count()).select_from(schema.submissions))[0][0]
    engine.dispose()
    postgres.server.cleanup()
    assert entries == opened > KILLS
