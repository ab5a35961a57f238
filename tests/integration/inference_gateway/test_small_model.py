"""A real small language model behind an OpenAI-style server, through the gateway: what no stand-in can show."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest

from deploy.triton.environment import EnvironmentMissingError
from tests import small_model
from tests.integration.inference_gateway.conftest import Gateway, gateway_with
from tests.ports import free_port

pytestmark = pytest.mark.xdist_group("small-model")
QUESTION: list[Any] = [{"role": "user", "content": "Count from one to five in words."}]


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    try:
        small_model.environment()
    except EnvironmentMissingError as error:
        pytest.skip(f"NO SMALL MODEL, so none is asked: `python -m tests.small_model` says why. {error}")
    with small_model.serving(free_port()) as url:
        models = f"""
            [gemma]
            provider = "openai"
            kind = "chat"
            title = "Gemma"
            address = "{url}"
            upstream = "{small_model.NAME}"
            modalities = ["text"]
            training = "never"
            output_cap = 24
            """
        with gateway_with(tmp_path_factory.mktemp("gemma"), models) as gateway:
            yield gateway
            for client in gateway.made:
                client.close()


def test_a_real_model_writes_until_its_cap_and_says_what_it_took(gemma: Gateway) -> None:
    reply = gemma.client(timeout=90).chat.completions.create(
        model="gemma", messages=QUESTION, max_tokens=6, seed=7, temperature=0
    )
    choice = reply.model_dump()["choices"][0]
    assert choice["message"]["content"].strip()
    assert (choice["finish_reason"], choice["stop"]) == ("length", {"kind": "length", "reason": "length"})
    assert reply.usage is not None
    assert reply.usage.completion_tokens == 6
    assert reply.usage.prompt_tokens > 5
    measured = reply.model_dump()["measured"]
    assert (measured["model"], measured["seed"]) == (small_model.NAME, "sent")
    assert measured["parameters"] == {"max_tokens": 6, "seed": 7, "temperature": 0}


def test_a_real_stream_says_the_same_as_the_whole_reply(gemma: Gateway) -> None:
    asked: dict[str, Any] = {"model": "gemma", "messages": QUESTION, "max_tokens": 6, "seed": 7, "temperature": 0}
    client = gemma.client(timeout=90)
    whole = client.chat.completions.create(**asked)
    with client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}) as chunks:
        every = list(chunks)
    texts = [chunk.choices[0].delta.content or "" for chunk in every if chunk.choices]
    assert "".join(texts) == whole.choices[0].message.content
    assert sum(bool(one) for one in texts) > 3, "it comes in pieces"
    assert every[-1].usage is not None
    assert whole.usage is not None
    assert every[-1].usage.completion_tokens == whole.usage.completion_tokens


def test_a_stop_word_ends_the_reply_as_complete(gemma: Gateway) -> None:
    client = gemma.client(timeout=90)
    asked: dict[str, Any] = {"model": "gemma", "messages": QUESTION, "max_tokens": 9, "seed": 7, "temperature": 0}
    first = client.chat.completions.create(**asked).choices[0].message.content or ""
    word = first.split()[1]
    cut = client.chat.completions.create(**asked, stop=[word]).choices[0]
    assert cut.message.content == first[: first.index(word)]
    assert cut.finish_reason == "stop"


def test_a_prompt_longer_than_the_context_is_refused_in_the_server_s_words(gemma: Gateway) -> None:
    with pytest.raises(openai.BadRequestError, match=r"it says: .*context"):
        gemma.client(max_retries=0, timeout=90).chat.completions.create(
            model="gemma", messages=[{"role": "user", "content": "one two " * 2000}]
        )
