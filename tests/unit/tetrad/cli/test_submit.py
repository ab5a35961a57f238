"""What `tetrad submit` looks at before it opens anything."""

import dataclasses
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace
from PIL import Image

from tests.unit.tetrad.client.test_verbs import SUBMISSION
from tetrad.cli.team import answering, opening, rehearsing
from tetrad.cli.team.answering import NOTHING_GIVEN, AnsweringOptions, SubmitError
from tetrad.cli.team.opening import DrawOptions, Entry, check_same
from tetrad.cli.team.rehearsing import RehearsalError
from tetrad.cli.team.submit import submit
from tetrad.client import Client
from tetrad.contracts.benchmarks import Counted
from tetrad.contracts.items import Choice, DrawIdentity, Option, PracticeItem, PracticePage, Question, SolvedExample
from tetrad.contracts.problems import Problem
from tetrad.runner import Prompt, http_responder

EXAMPLE = SolvedExample(text="Which?", options=(Option(label="A"),), pictures=(), answer="A")
QUESTION = Question(
    id="which", kind="which", text="Which?", instruction="", options=(), pictures=(), shape=Choice(labels=("A", "B"))
)
BRIEF = DrawOptions(benchmark="toy", model="random", track="toy", setting="brief")
WITHOUT = Entry(draw=BRIEF)
IN_CONTEXT = Entry(
    draw=dataclasses.replace(BRIEF, parameter=["shown=2"]), answering=AnsweringOptions(strategy="in-context")
)


def item(question: Question) -> PracticeItem:
    identity = DrawIdentity(benchmark="toy", version=1, bank="d", track="toy", setting="brief", parameters={})
    return PracticeItem(id="itm_1", identity=identity, seed="1", index=0, questions=[question], url="", solution_url="")


def check(entry: Entry, question: Question) -> list[str]:
    """Return the addresses that the check asked for."""
    asked: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url}")
        return httpx.Response(200, content=msgspec.json.encode(PracticePage(items=[item(question)], seed="1")))

    with Client("", http=httpx.Client(base_url="http://here", transport=httpx.MockTransport(handler))) as client:
        rehearsing.rehearse(client, entry.request(), entry.answering.plan(), lambda _: "A")
    return asked


def test_a_strategy_that_shows_solved_examples_is_refused_where_questions_bring_none() -> None:
    with pytest.raises(RehearsalError, match=r"in-context shows solved examples, .* bring none; .* in_context=2"):
        check(IN_CONTEXT, QUESTION)


def test_a_fresh_item_of_what_is_asked_for_tells_whether_questions_bring_examples() -> None:
    asked = check(IN_CONTEXT, msgspec.structs.replace(QUESTION, examples=(EXAMPLE,)))
    assert asked == ["GET http://here/v1/benchmarks/toy/items?track=toy&setting=brief&shown=2&offset=0&limit=1"]


def test_for_a_fixed_corpus_a_sample_is_asked() -> None:
    """Its practice is refused, and its card says why."""
    seen: list[Prompt] = []

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/items"):
            problem = Problem(type="", title="Unprocessable Entity", status=422, detail="a fixed corpus")
            return httpx.Response(422, content=msgspec.json.encode(problem))
        return httpx.Response(200, content=msgspec.json.encode({"card": {"corpus": {}}}))

    def note(prompt: Prompt) -> str:
        seen.append(prompt)
        return "(1)"

    client = Client("", http=httpx.Client(base_url="http://here", transport=httpx.MockTransport(handler)))
    client.benchmark = lambda _: SimpleNamespace(card=SimpleNamespace(corpus="fixed"))  # type: ignore[method-assign,assignment,return-value]
    with client:
        rehearsing.rehearse(client, WITHOUT.request(), WITHOUT.answering.plan(), note)
    (prompt,) = seen
    with Image.open(BytesIO(prompt.pictures["sample"])) as picture:
        assert picture.convert("RGB").getpixel((5, 5)) == (208, 32, 32)


def test_a_name_that_no_board_takes_is_refused_with_one_that_it_takes() -> None:
    with pytest.raises(SubmitError, match=r"use --model qwen2.5-vl-7b-instruct --upstream Qwen/Qwen2.5-VL-7B-Instr"):
        Entry(
            draw=DrawOptions(benchmark="toy", model="Qwen/Qwen2.5-VL-7B-Instruct"),
            answering=AnsweringOptions(base_url="http://x/v1"),
        ).request()


def test_what_a_server_is_told_is_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[dict[str, object]] = []

    def reply(request: httpx.Request) -> httpx.Response:
        bodies.append(msgspec.json.decode(request.content))
        return httpx.Response(200, json={"choices": [{"message": {"content": "(1)"}}]})

    monkeypatch.setattr(
        answering,
        "http_responder",
        lambda *given, **named: http_responder(
            *given, **named, http=httpx.Client(transport=httpx.MockTransport(reply))
        ),
    )
    options = AnsweringOptions(
        base_url="http://x/v1", upstream="Qwen/Qwen2.5-VL-7B-Instruct", max_tokens=64, extra_body='{"top_k": 1}'
    )
    options.responder("mine")(Prompt(question=QUESTION, pictures={}, messages=[]))
    (body,) = bodies
    assert (body["model"], body["max_tokens"], body["top_k"]) == ("Qwen/Qwen2.5-VL-7B-Instruct", 64, 1)
    with pytest.raises(SubmitError, match=r"--extra-body '\[1\]' is no JSON object"):
        dataclasses.replace(options, extra_body="[1]").responder("mine")
    for name, value in (("upstream", "x"), ("max_tokens", 3), ("extra_body", "{}")):
        with pytest.raises(SubmitError, match=f"--{name.replace('_', '-')} is told to the server of --base-url"):
            AnsweringOptions(**{name: value}).responder("random")  # type: ignore[arg-type]


def test_the_line_that_goes_on_has_the_options_that_say_what_answers() -> None:
    options = AnsweringOptions(base_url="http://x/v1", extra_body='{"a": 1}', concurrency=2)
    assert options.as_line("mine") == (
        """ --base-url http://x/v1 --upstream mine --extra-body '{"a": 1}' --concurrency 2"""
    )
    assert AnsweringOptions(command="python 'my model.py'", keep_alive=True).as_line("m") == (
        """ --command 'python '"'"'my model.py'"'"'' --keep-alive"""
    )
    assert AnsweringOptions(inspect="openai/gpt-x").as_line("m") == " --inspect openai/gpt-x"


@pytest.mark.parametrize("address", ["", "127.0.0.1:9000/v1", "ftp://here/v1", "http:///v1", "http://here:port/v1"])
def test_an_address_of_no_server_is_refused(address: str) -> None:
    with pytest.raises(
        SubmitError, match=r"--base-url: .* is no server's address; give one like http://127\.0\.0\.1:9000/v1"
    ):
        AnsweringOptions(base_url=address).responder("mine")


def test_a_temperature_reaches_the_server_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def responder(_address: str, _model: str, *, temperature: float | None, **_: object) -> object:
        given.append(temperature)
        return object()

    monkeypatch.setattr(answering, "http_responder", responder)
    for temperature in (0.2, None):
        AnsweringOptions(base_url="http://127.0.0.1:9/v1", temperature=temperature).responder("m")
    assert given == [0.2, None]
    with pytest.raises(SubmitError, match="--temperature is told to the server of --base-url"):
        AnsweringOptions(temperature=0.2).responder("random")


OPENED = replace(SUBMISSION, model="bm", identity=item(QUESTION).identity)


def test_every_option_that_differs_from_the_submission_gone_on_with_is_named_with_what_it_is_there() -> None:
    given = {
        "benchmark": "kiva",
        "model": "other-model",
        "track": "marvel",
        "setting": "full",
        "size": 99,
    }
    draw = DrawOptions(**given, parameter=["shown=2"])  # type: ignore[arg-type]  # by name
    with pytest.raises(SubmitError) as caught:
        check_same(Entry(draw=draw, is_private=True, nonce="x"), OPENED)
    said = str(caught.value).splitlines()
    assert [line.strip() for line in said[1:-1]] == [
        "--benchmark kiva: it has toy",
        "--model other-model: it has bm",
        "--track marvel: it has toy",
        "--setting full: it has brief",
        "--size 99: it has 20",
        "--nonce x: it has n",
        "--parameter shown=2: it has none of this name",
        "--private: it is public",
    ]
    assert said[-1].startswith("leave them out to go on with it")


def test_options_that_say_what_was_opened_or_nothing_may_be_gone_on_with() -> None:
    identity = replace(OPENED.identity, parameters={"shown": 2, "loud": True, "count": "1"})
    check_same(Entry(), OPENED)
    same = DrawOptions(benchmark="toy", model="bm", track="toy", setting="brief", size=20)
    check_same(Entry(draw=same, nonce="n", is_private=False), OPENED)
    same = DrawOptions(parameter=["shown=2", "loud=true", "count=1"])
    check_same(Entry(draw=same), replace(OPENED, identity=identity))
    with pytest.raises(SubmitError, match="--parameter loud=False: it has True"):
        check_same(Entry(draw=DrawOptions(parameter=["loud=false"])), replace(OPENED, identity=identity))


@pytest.mark.parametrize(
    ("draw", "missing"), [(DrawOptions(model="random"), "--benchmark"), (DrawOptions(benchmark="toy"), "--model")]
)
def test_what_to_open_has_to_be_said_where_nothing_is_gone_on_with(draw: DrawOptions, missing: str) -> None:
    with pytest.raises(SubmitError, match=f"{missing} is missing"):
        submit(draw=draw)


def test_how_questions_are_put_is_told_when_it_is_opened() -> None:
    assert WITHOUT.request().conversation == "as-card"
    assert Entry(draw=dataclasses.replace(BRIEF, conversation="fresh")).request().conversation == "fresh"


def test_a_submission_is_not_gone_on_with_in_another_way_of_asking() -> None:
    joined = msgspec.structs.replace(OPENED, conversation="joined")
    for same in (None, "as-card", "joined"):
        check_same(Entry(draw=DrawOptions(conversation=same)), joined)
    with pytest.raises(SubmitError, match="--conversation fresh: it has joined"):
        check_same(Entry(draw=DrawOptions(conversation="fresh")), joined)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"benchmark": "visanalog", "model": "pixel-solver"}, "visanalog, track photographs, setting end-to-end"),
        ({"benchmark": "visanalog", "model": "program-search", "track": "scenes"}, "visanalog, track scenes"),
        (
            {"benchmark": "visanalog", "model": "copy-c", "setting": "oracle"},
            "visanalog, track photographs, setting oracle",
        ),
    ],
)
def test_a_solver_that_does_not_answer_there_opens_nothing(given: dict[str, str], told: str) -> None:
    """Its track and setting are the first of the card where none is named."""
    with pytest.raises(SubmitError, match=rf"nothing was opened.* does not answer {told}(.|\n)*program-search"):
        check_solver(DrawOptions(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("draw", "more"),
    [
        (DrawOptions(benchmark="visanalog", model="program-search"), {}),
        (DrawOptions(benchmark="visanalog", model="random", track="scenes"), {}),
        (DrawOptions(benchmark="visanalog", model="pixel-solver", track="no-such-track"), {}),
        (DrawOptions(benchmark="visanalog", model="pixel-solver"), {"answering": AnsweringOptions(command="model")}),
        (DrawOptions(benchmark="their-corpus", model="pixel-solver"), {"corpus": "fixed"}),
    ],
    ids=["answers there", "answers everything", "track that the service refuses", "model of its name", "corpus"],
)
def test_a_solver_is_taken_unless_it_is_known_not_to_answer(draw: DrawOptions, more: dict[str, Any]) -> None:
    check_solver(draw, **more)


def check_solver(draw: DrawOptions, corpus: str | None = None, answering: AnsweringOptions = NOTHING_GIVEN) -> None:
    settings = ("end-to-end", "oracle")
    tracks = [SimpleNamespace(name=name, settings=settings) for name in ("photographs", "scenes")]
    client = SimpleNamespace(benchmark=lambda _: SimpleNamespace(card=SimpleNamespace(tracks=tracks, corpus=corpus)))
    opening.check_solver(client, answering, Entry(draw=draw).request())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        (Counted(size=220, expected=198, lower=189, upper=207, least_items=200), "about 198 of 220 items will count"),
        (Counted(size=250, expected=225, lower=215, upper=235, least_items=200), ""),
        (None, ""),
    ],
    ids=["perhaps too few", "enough", "a fixed corpus"],
)
def test_items_that_may_be_too_few_for_a_rank_are_named_before_a_draw_is_opened(
    counted: Counted | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        assert str(request.url) == "http://here/v1/benchmarks/toy/counted?track=toy&setting=brief&size=250"
        if counted is None:
            problem = Problem(type="", title="Not Found", status=404, detail="it has no board")
            return httpx.Response(404, content=msgspec.json.encode(problem))
        return httpx.Response(200, content=msgspec.json.encode(counted))

    with Client("", http=httpx.Client(base_url="http://here", transport=httpx.MockTransport(handler))) as client:
        opening.note_rank(client, WITHOUT.request())
    told = capsys.readouterr().err
    assert (said in told) if said else told == ""
