"""A release's data directory, on this tree: what it said then is still said, open draws go on, reports verify."""

from pathlib import Path

import pytest

from tests.answering import answer_all, wait_scored
from tests.operating import log_of
from tests.upgrading.archive import HERE, starting_on, unpack
from tests.upgrading.history import find_changes
from tetrad.cli.team.verify import wait_for
from tetrad.client import Client
from tetrad.commitments import first_broken

ARCHIVES = sorted(HERE.glob("*.tar.xz"))


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.name)
def test_this_tree_goes_on_where_a_release_stopped(path: Path, bank_folder: Path, tmp_path: Path) -> None:
    history = unpack(path, tmp_path)
    with starting_on(tmp_path, bank_folder) as (instance, _), instance.client(history.key) as team:
        assert find_changes(instance, history) == []
        assert first_broken(log_of(team)) is None
        _verify(team, history.scored[0])
        for submission in history.open:
            answer_all(team, submission)
            assert wait_scored(team, submission).missing == 0
        _verify(team, history.open[0])
        team.resume_evaluation(history.paused)
        *_, ended = team.follow_evaluation(history.paused)
        assert (ended.state, ended.outcome) == ("done", "complete")


def _verify(team: Client, submission: str) -> None:
    """Have the service draw, read and score it anew: everything has to be equal."""
    verification = wait_for(team, team.verify(team.report(submission)))
    assert verification.confirmed, verification.findings
