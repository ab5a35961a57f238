"""What `tetrad submit` looks at before it opens anything."""

import httpx
import msgspec
import pytest

from tetrad.cli import submit
from tetrad.client import Client
from tetrad.contracts.items import Choice, DrawIdentity, Option, PracticeItem, PracticePage, Question, SolvedExample

EXAMPLE = SolvedExample(text="Which?", options=(Option(label="A"),), pictures=(), answer="A")
QUESTION = Question(
    id="which", kind="which", text="Which?", instruction="", options=(), pictures=(), shape=Choice(labels=("A", "B"))
)
WITHOUT = submit.Options(benchmark="toy", model="random", track="toy", setting="brief")
IN_CONTEXT = submit.Options(
    benchmark="toy", model="random", track="toy", setting="brief", strategy="in-context", parameter=["shown=2"]
)


def item(question: Question) -> PracticeItem:
    identity = DrawIdentity(benchmark="toy", version=1, bank="d", track="toy", setting="brief", parameters={})
    return PracticeItem(id="itm_1", identity=identity, seed="1", index=0, questions=[question], url="", solution_url="")


def check(options: submit.Options, question: Question) -> list[str]:
    """Return the addresses that the check asked for."""
    asked: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url}")
        return httpx.Response(200, content=msgspec.json.encode(PracticePage(items=[item(question)], seed="1")))

    with Client("", http=httpx.Client(base_url="http://here", transport=httpx.MockTransport(handler))) as client:
        submit._check_examples(client, options.request(), submit._plan(options))
    return asked


def test_a_strategy_that_shows_solved_examples_is_refused_where_questions_bring_none() -> None:
    with pytest.raises(submit.SubmitError, match=r"in-context shows solved examples, .* bring none; .* in_context=2"):
        check(IN_CONTEXT, QUESTION)


def test_a_fresh_item_of_what_is_asked_for_tells_whether_questions_bring_examples() -> None:
    asked = check(IN_CONTEXT, msgspec.structs.replace(QUESTION, examples=(EXAMPLE,)))
    assert asked == ["GET http://here/v1/benchmarks/toy/items?shown=2&track=toy&setting=brief&limit=1"]


def test_other_strategies_need_no_item() -> None:
    assert check(WITHOUT, QUESTION) == []


@pytest.mark.parametrize("address", ["", "127.0.0.1:9000/v1", "ftp://here/v1", "http:///v1", "http://here:port/v1"])
def test_an_address_of_no_server_is_refused(address: str) -> None:
    with pytest.raises(
        submit.SubmitError, match=r"--openai: .* is no server's address; give one like http://127\.0\.0\.1:9000/v1"
    ):
        submit._responder(submit.Options(benchmark="toy", model="mine", openai=address))


def test_a_temperature_reaches_the_server_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def responder(_address: str, _model: str, *, key: str | None, temperature: float | None) -> object:
        given.append(temperature)
        return object()

    monkeypatch.setattr(submit, "http_responder", responder)
    for temperature in (0.2, None):
        submit._responder(
            submit.Options(benchmark="carv", model="m", openai="http://127.0.0.1:9/v1", temperature=temperature)
        )
    assert given == [0.2, None]
    with pytest.raises(submit.SubmitError, match="--temperature is told to the server of --openai"):
        submit._responder(submit.Options(benchmark="carv", model="random", temperature=0.2))
