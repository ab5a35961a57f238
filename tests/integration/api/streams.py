"""Streams of events over HTTP, for tests: one that is open while its API key is revoked."""

from contextlib import ExitStack
from unittest.mock import patch

import sqlalchemy as sa

from api.http import event_streams
from api.routes import datasets, evaluations, submissions
from api.teams.access import is_current
from tests.integration.api.team import Team


def follow_until_revoked(team: Team, path: str) -> str:
    """Return what a stream says whose API key is revoked when the service first looks whether it is."""
    made = team.post("/v1/keys", {"name": "listener", "scopes": ["read"]}).json()
    looked: list[str] = []

    def look(engine: sa.Engine, key_id: str) -> bool:
        assert not looked, "the stream goes on"
        looked.append(key_id)
        assert is_current(engine, key_id)
        assert team.client.delete(f"/v1/keys/{key_id}", headers=team.headers).status_code == 204
        return is_current(engine, key_id)

    headers = {"Authorization": f"Bearer {made['key']}", "Accept": event_streams.EVENT_STREAM}
    with ExitStack() as patched:
        for module in (submissions, evaluations, datasets):
            patched.enter_context(patch.object(module, "QUIET_SECONDS", 0.02))
        patched.enter_context(patch.object(event_streams, "CHECK_SECONDS", 0.01))
        patched.enter_context(patch.object(event_streams, "is_current", look))
        heard = team.client.get(path, headers=headers)
    assert looked == [made["about"]["id"]]
    assert team.client.get(path, headers=headers).status_code == 401
    return heard.text
