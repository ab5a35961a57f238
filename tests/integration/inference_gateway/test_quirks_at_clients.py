"""Each quirk of a model server, as clients see it that ask the server itself: ours, and the official packages."""

from functools import partial

import pytest

from tests.integration.inference_gateway.quirks import QUIRKS, Fault, Quirk, Seen
from tests.integration.inference_gateway.upstream import Upstream
from tests.unit.tetrad.runner.test_responders import prompt
from tetrad.runner import Attempts, RefusedError, ReplyError, http_responder
from tetrad.runner.patience import retry

WHOLE = [quirk for quirk in QUIRKS if quirk.model == "openai" and not quirk.is_stream]
PATIENCE = Attempts(most=4, sleep=lambda _: None)
REFUSALS = {"upstream_credentials", "upstream_request"}
WAITED = {"a wait of a minute"}
"""Where the gateway gives up at once, and a team's own run waits."""


@pytest.mark.parametrize("quirk", WHOLE, ids=[quirk.name for quirk in WHOLE])
def test_a_run_that_asks_the_server_itself_sees_the_same_with_as_many_calls(upstream: Upstream, quirk: Quirk) -> None:
    *upstream.answers, upstream.otherwise = quirk.answers
    ask = partial(http_responder(f"{upstream.url}/v1", "m"), prompt())
    if isinstance(quirk.seen, Fault):
        with pytest.raises(ReplyError) as failed:
            retry(ask, PATIENCE)
        assert isinstance(failed.value, RefusedError) == (quirk.seen.code in REFUSALS)
    else:
        reply = retry(ask, PATIENCE)
        assert seen_by(reply.text, reply.stop, reply.thought, has_usage=reply.usage is not None) == told_of(quirk.seen)
    assert len(upstream.asked) == (PATIENCE.most if quirk.name in WAITED else quirk.calls)


def seen_by(text: str, kind: str | None, thought: str | None, *, has_usage: bool) -> tuple[object, ...]:
    return text, kind, thought or None, has_usage


def told_of(seen: Seen) -> tuple[object, ...]:
    return seen_by(seen.text or seen.refusal or "", seen.kind, seen.thought, has_usage=seen.has_usage)
