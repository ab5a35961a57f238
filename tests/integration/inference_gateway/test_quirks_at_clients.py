"""Each quirk of a model server, as clients see it that ask the server itself: ours, and the official packages."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

import pytest

from inference_gateway.providers.anthropic import STOPS as CLAUDE_STOPS
from inference_gateway.providers.gemini import STOPS as GEMINI_STOPS
from tests.integration.inference_gateway.quirks import QUIRKS, Fault, Quirk, Seen
from tests.integration.inference_gateway.upstream import Upstream
from tests.unit.tetrad.runner.test_responders import prompt
from tetrad.chat_replies import kind_of_end
from tetrad.runner import Attempts, RefusedError, ReplyError, http_responder
from tetrad.runner.patience import retry

Read: TypeAlias = tuple[str, str, str]
"""A reply's text, the kind of its end, and what the model thought."""
WHOLE = [quirk for quirk in QUIRKS if quirk.model == "openai" and not quirk.is_stream]
BEYOND_PACKAGES = {
    # no text where the package of OpenAI promises one
    "SGLang's reason",
    "parts of a text",
    "Mistral's thinking",
    "Mistral's thinking, streamed",
    "a refusal as a part",
    "the older API's text",
    # streams that its reader of events takes for no JSON, for nothing, or with their mark
    "a stream with empty data lines",
    "a stream with heartbeats",
    "a stream with a byte order mark",
    "a stream with a byte order mark as content",
    "a stream with a reply that is not streamed",
    # events without their names, which the package of Anthropic goes by
    "Anthropic's refusal, streamed",
}
"""Replies that the gateway reads and the official packages do not."""
READ = [
    quirk for quirk in QUIRKS if isinstance(quirk.seen, Seen) and quirk.calls == 1 and quirk.name not in BEYOND_PACKAGES
]
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


@pytest.fixture(scope="module")
def packages(misbehaving: Upstream) -> Iterator[dict[str, Callable[[Quirk], Read]]]:
    """Give what asks the server with the official package of each family, and reads its reply."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that are not ours
        # At the top, every worker of pytest-xdist would import them for two seconds.
        import anthropic  # noqa: PLC0415 -- see above
        import openai  # noqa: PLC0415 -- same
        from google import genai  # noqa: PLC0415 -- same

    url, said = misbehaving.url, [{"role": "user", "content": "Which?"}]
    to_openai = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)
    to_claude = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)
    to_gemini = genai.Client(api_key="k", http_options=genai.types.HttpOptions(base_url=url))
    completions: Any = to_openai.chat.completions.create
    messages: Any = to_claude.messages.create

    def ask_openai(quirk: Quirk) -> Read:
        found = completions(model="m", messages=said, stream=quirk.is_stream)
        choices = [choice for part in (found if quirk.is_stream else [found]) for choice in part.choices or []]
        words = [choice.delta if quirk.is_stream else choice.message for choice in choices]
        thoughts = [getattr(word, "reasoning_content", None) or getattr(word, "reasoning", None) for word in words]
        text, refusal = joined(word.content for word in words), joined(word.refusal for word in words)
        return text or refusal, kind_of_end(choices[-1].finish_reason or "", text, refusal), joined(thoughts)

    def ask_claude(quirk: Quirk) -> Read:
        found = messages(model="m", max_tokens=9, messages=said, stream=quirk.is_stream)
        end = [event.delta for event in found if event.type == "message_delta"][-1] if quirk.is_stream else found
        blocks = [] if quirk.is_stream else found.content
        refusal = getattr(end.stop_details, "explanation", None)
        text = joined(getattr(block, "text", None) for block in blocks) or refusal or ""
        kind = CLAUDE_STOPS.get(end.stop_reason, "unknown")
        return text, kind, joined(getattr(block, "thinking", None) for block in blocks)

    def ask_gemini(_: Quirk) -> Read:
        (candidate,) = to_gemini.models.generate_content(model="m", contents="Which?").candidates or []
        parts = (candidate.content and candidate.content.parts) or []
        kind = GEMINI_STOPS.get(candidate.finish_reason.value if candidate.finish_reason else "", "unknown")
        text = joined(part.text for part in parts if not part.thought)
        return text, kind, joined(part.text for part in parts if part.thought)

    with to_openai, to_claude:
        yield {"openai": ask_openai, "claude": ask_claude, "gemini": ask_gemini}
    to_gemini.close()


def joined(texts: Iterable[str | None]) -> str:
    return "".join(text or "" for text in texts)


@pytest.mark.filterwarnings("ignore:TIRED is not a valid")
@pytest.mark.parametrize("quirk", READ, ids=[quirk.name for quirk in READ])
def test_the_official_package_of_the_family_reads_the_same_reply(
    packages: dict[str, Callable[[Quirk], Read]], upstream: Upstream, quirk: Quirk
) -> None:
    assert isinstance(quirk.seen, Seen)
    (upstream.otherwise,) = quirk.answers
    seen = (quirk.seen.text or quirk.seen.refusal or "", quirk.seen.kind, quirk.seen.thought or "")
    assert packages[quirk.model](quirk) == seen
