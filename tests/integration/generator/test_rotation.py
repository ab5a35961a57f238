"""Rotating the seed secret: new draws use the new one, open draws keep theirs, revealed ones need none."""

from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa

from generator_service.draws import sealed_seed
from generator_service.registry import Registry
from generator_service.sealing.record import Record, RecordConflictError, draws
from generator_service.sealing.sealed_draws import Sealing
from generator_service.sealing.secret_ring import MissingSecretError, SecretRing, secret_id
from tetrad.internal.draws import DrawRequest, ItemAnswers
from tetrad.server.database import make_engine

OLD, NEW = "old-" * 8, "new-" * 8
Open = Callable[[str], Sealing]


@pytest.fixture
def opened(url: str, registry: Registry) -> Iterator[Open]:
    """Return what opens the generator's work with these secrets, as a start of the service does."""
    record = Record(url)

    def start(secrets: str) -> Sealing:
        sealing = Sealing(secrets, record, registry)
        sealing.check_secrets()
        return sealing

    yield start
    record.close()


def request(submission: str) -> DrawRequest:
    return DrawRequest(
        submission=submission,
        nonce="n",
        benchmark="toy",
        track="toy",
        setting="full",
        parameters={"tint": 5},
        size=4,
    )


def test_new_draws_use_the_new_secret_and_open_ones_keep_theirs(opened: Open) -> None:
    before = opened(OLD)
    first = before.seal(request("sub_1"))
    asked = before.ask("sub_1", [ItemAnswers(item=0)])
    after = opened(f"{NEW},{OLD}")
    second = after.seal(request("sub_2"))
    assert after.ask("sub_1", [ItemAnswers(item=0)]) == asked
    assert after.seal(request("sub_1")) == first, "sealing an open one again gives what is there"
    assert after.reveal("sub_1", []).seed == sealed_seed(OLD.encode(), "sub_1", "n")
    assert after.reveal("sub_2", []).seed == sealed_seed(NEW.encode(), "sub_2", "n")
    assert first.commitment != second.commitment


def test_a_revealed_draw_needs_no_secret_any_more(opened: Open) -> None:
    before = opened(OLD)
    before.seal(request("sub_1"))
    keys = before.reveal("sub_1", [])
    assert opened(NEW).reveal("sub_1", []) == keys, "as a rescoring asks"


def test_a_secret_that_open_draws_need_is_missed_by_its_id_and_said_how_often(opened: Open) -> None:
    before = opened(OLD)
    for name in ("sub_1", "sub_2"):
        before.seal(request(name))
    with pytest.raises(MissingSecretError, match=rf"2 open draws need {secret_id(OLD)}; put them back") as missing:
        opened(NEW)
    assert OLD not in str(missing.value)
    assert opened(f"{NEW},{OLD}").open_draws("").loaded == [secret_id(NEW), secret_id(OLD)]


def test_a_secret_that_is_lost_can_be_given_up_by_its_id(opened: Open, url: str, registry: Registry) -> None:
    opened(OLD).seal(request("sub_1"))
    record = Record(url)
    Sealing(NEW, record, registry).check_secrets([secret_id(OLD)])
    without = opened(NEW)
    assert without.open_draws("").draws == []
    with pytest.raises(RecordConflictError, match="its draw is closed"):
        without.ask("sub_1", [ItemAnswers(item=0)])
    record.close()


def test_a_replica_that_lacks_the_secret_says_which_and_answers_nothing(opened: Open) -> None:
    behind = opened(OLD)
    opened(f"{NEW},{OLD}").seal(request("sub_1"))
    with pytest.raises(MissingSecretError, match=secret_id(NEW)):
        behind.ask("sub_1", [ItemAnswers(item=0)])


def test_closed_draws_need_nothing_and_their_nonces_are_forgotten(opened: Open, url: str) -> None:
    before = opened(OLD)
    for name in ("sub_1", "sub_2", "sub_3"):
        before.seal(request(name))
    keys = before.reveal("sub_3", [])
    assert [draw.submission for draw in before.open_draws("").draws] == ["sub_1", "sub_2"]
    assert [draw.submission for draw in before.open_draws("sub_1").draws] == ["sub_2"]
    assert before.close(["sub_1", "sub_2", "sub_3", "sub_unknown"]) == 2
    assert before.open_draws("").draws == []
    with pytest.raises(RecordConflictError, match="closed"):
        before.reveal("sub_1", [])
    assert opened(NEW).reveal("sub_3", []) == keys
    engine = make_engine(url)
    with engine.connect() as connection:
        assert set(connection.execute(sa.select(draws.c.nonce)).scalars()) == {""}
    engine.dispose()


def test_a_record_without_the_ids_of_its_secrets_is_adopted_by_its_commitments(opened: Open, url: str) -> None:
    before = opened(OLD)
    for name in ("sub_1", "sub_2"):
        before.seal(request(name))
    keys = before.reveal("sub_2", [])
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.update(draws).values(secret=None, seed=None))
    engine.dispose()
    with pytest.raises(MissingSecretError, match="1 open draws need one"):
        opened(NEW)
    assert opened(f"{NEW},{OLD}").open_draws("").draws[0].secret == secret_id(OLD)
    after = opened(f"{NEW},{OLD}")
    assert after.reveal("sub_2", []) == keys
    assert after.reveal("sub_1", []).seed == sealed_seed(OLD.encode(), "sub_1", "n")


def test_the_ring_s_first_secret_is_the_current_one() -> None:
    ring = SecretRing.read(f"{NEW},{OLD}")
    assert (ring.current, ring.ids) == (secret_id(NEW), [secret_id(NEW), secret_id(OLD)])
    assert len(secret_id(NEW)) == 16
