"""Tests of teams' approvals for corpora, in each database."""

import sqlalchemy as sa

from api.teams.approvals import approval_of, approvals_of, approve, disapprove
from tests.integration.api.team import Team
from tetrad.server.database import read_transaction, write_transaction


def test_an_approval_is_the_team_s_own_for_one_corpus_and_can_be_taken_back(team: Team, engine: sa.Engine) -> None:
    team_id = team.get("/v1/teams/me").json()["id"]
    with write_transaction(engine) as connection:
        assert approval_of(connection, team_id, "kiva-published") is None
        approve(connection, team_id, "kiva-published", 3, 1_000)
        approve(connection, team_id, "kiva-published", 5, 2_000)
        approve(connection, team_id, "imsitu", 1, 3_000)
    with read_transaction(engine) as connection:
        found = approval_of(connection, team_id, "kiva-published")
        assert found is not None
        assert (found.submissions_cap, found.approved_at) == (5, "1970-01-01T00:00:02.000Z")
        assert approval_of(connection, "team_other", "kiva-published") is None
        assert [one.corpus for one in approvals_of(connection, team_id)] == ["imsitu", "kiva-published"]
    with write_transaction(engine) as connection:
        assert disapprove(connection, team_id, "kiva-published")
        assert not disapprove(connection, team_id, "kiva-published")
    with read_transaction(engine) as connection:
        assert approval_of(connection, team_id, "kiva-published") is None
