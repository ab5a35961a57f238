"""A judge behind the gateway: a stand-in model that errs at a known rate, asked over the gateway's own HTTP."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType

import httpx
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from inference_gateway.app import create_app
from inference_gateway.settings import GatewaySettings
from scoring_service import judge as caption_judge
from scoring_service.jobs.attempts import ATTEMPT_SECONDS
from scoring_service.judge import GatewayJudge, JudgeRefusalError, JudgeUnavailableError, open_judge
from scoring_service.scoring import score
from scoring_service.settings import PREFIX, ScoringSettings
from scoring_service.verification import after_regeneration
from tests.serving import ThreadedServer
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import Card, Credit, Headline, Setting, Track
from tetrad.contracts.inference import Message
from tetrad.contracts.items import DrawIdentity, KeyedQuestion, Question, StateCaption, StateCaptionKey
from tetrad.contracts.metrics import Accuracy, Agreement
from tetrad.extraction.captions.text import caption_text
from tetrad.internal.draws import DrawKeys, KeyedItem
from tetrad.server.settings import SettingsError, load_settings
from tetrad.solvers import open_solver
from tetrad.solvers.carv import VALUES, all_states
from tetrad.solvers.catalogue import NOTHING_ASKED

TOKEN = "gateway-token-of-tests"
NONE: Mapping[str, str] = MappingProxyType({})
MODELS = """
[judge]
provider = "in-process"
kind = "chat"
title = "A judge that does not err"
options = { solver = "caption-judge" }

[erring]
provider = "in-process"
kind = "chat"
title = "A judge that errs in one case of ten"
options = { solver = "erring-caption-judge", seed = 7 }

[talker]
provider = "in-process"
kind = "chat"
title = "No judge at all"
options = { solver = "pixel-solver" }
"""
CARD = Card(
    name="scenes",
    version=1,
    title="",
    summary="",
    tracks=(Track(name="t", help="", settings=("s",)),),
    settings=(Setting(name="s", help="", questions=("caption",)),),
    parameters=(),
    metrics=(
        Accuracy(name="accuracy", help=""),
        Accuracy(name="judged", help="", rule="judge"),
        Agreement(name="agreement", help="", rule="judge"),
    ),
    headline=Headline(metric="accuracy", least_items=1),
    chance=(),
    credit=Credit(title="", authors="", venue="", url="", licence=""),
)
IDENTITY = DrawIdentity(benchmark="scenes", version=1, bank="none", track="t", setting="s", parameters={})
STATES = all_states()


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient[Litestar]]:
    path: Path = tmp_path_factory.mktemp("models") / "models.toml"
    path.write_text(MODELS)
    with TestClient(create_app(GatewaySettings(tokens=TOKEN, models_file=str(path)))) as client:
        yield client


@pytest.fixture
def judge(gateway: TestClient[Litestar]) -> Callable[..., GatewayJudge]:
    def opened(model: str, token: str = TOKEN) -> GatewayJudge:
        return GatewayJudge(url=str(gateway.base_url), token=token, model=model, timeout_seconds=20, http=gateway)

    return opened


RIGHT = (
    b'{"id": "1", "object": "chat.completion", "created": 1, "model": "judge", "usage": '
    b'{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}, "choices": [{"index": 0, "message": '
    b'{"role": "assistant", "content": "{\\"correct\\": true}"}, "finish_reason": "stop"}]}'
)


@pytest.fixture
def answering() -> Iterator[Callable[..., GatewayJudge]]:
    """Return what opens a judge behind a gateway that always gives the same answer, after a while."""
    over = threading.Event()
    with ExitStack() as opened:

        def answer(
            body: bytes,
            delay: float = 0,
            status: int = 200,
            headers: Mapping[str, str] = NONE,
            timeout_seconds: float = 20,
        ) -> GatewayJudge:
            class Gateway(BaseHTTPRequestHandler):
                def do_POST(self) -> None:
                    over.wait(delay)
                    self.send_response(status)
                    for name, value in {**headers, "Content-Length": str(len(body))}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)

            server = opened.enter_context(ThreadedServer(("127.0.0.1", 0), Gateway))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            opened.callback(server.shutdown)
            url = f"http://127.0.0.1:{server.server_port}"
            judge = GatewayJudge(url=url, token=TOKEN, model="judge", timeout_seconds=timeout_seconds)
            opened.callback(judge.close)
            return judge

        yield answer
        over.set()


def keys() -> DrawKeys:
    question = Question(id="caption", kind="caption", text="", shape=StateCaption(properties=dict(VALUES)), final=True)
    items = [
        KeyedItem(
            item=at,
            questions=[KeyedQuestion(question=question, key=StateCaptionKey(values=state), facets={}, cluster=str(at))],
        )
        for at, state in enumerate(STATES)
    ]
    return DrawKeys(identity=IDENTITY, size=len(items), seed="0" * 64, commitment="0" * 64, items=items)


def answers() -> list[SealedAnswer]:
    """Answer two of three right, the others by the next state's caption."""
    return [
        SealedAnswer(
            item=at,
            question="caption",
            response=f'{{"caption": "{caption_text(state if at % 3 else STATES[at - 1])}"}}',
        )
        for at, state in enumerate(STATES)
    ]


def test_a_judge_that_does_not_err_agrees_with_the_reader(judge: Callable[..., GatewayJudge]) -> None:
    report = score("sub", keys(), answers()[:60], CARD, scored_at="now", caption_judge=judge("judge"))
    agreed, kappa = (value for value in report.metrics if value.name == "agreement")
    assert (agreed.value, agreed.items, kappa.value) == (1.0, 60, 1.0)
    assert report.questions[0].outcome["judge"] == "incorrect"
    assert report.missing == len(STATES) - 60


def test_a_judge_that_errs_in_a_tenth_agrees_in_nine_tenths_and_changes_no_verdict(
    judge: Callable[..., GatewayJudge],
) -> None:
    alone = score("sub", keys(), answers(), CARD, scored_at="now")
    report = score("sub", keys(), answers(), CARD, scored_at="now", caption_judge=judge("erring"))
    agreed, kappa = (value for value in report.metrics if value.name == "agreement")
    assert agreed.interval is not None
    assert agreed.interval.lower <= 0.9 <= agreed.interval.upper
    assert agreed.value != 1
    assert kappa.value is not None
    assert 0.68 < kappa.value < 0.88  # 2/3 right: expected agreement 0.544, so (0.9 - 0.544) / 0.456 = 0.78
    assert report.headline == alone.headline
    assert [one.verdict for one in report.questions] == [one.verdict for one in alone.questions]


def test_a_report_with_a_judge_s_verdicts_is_confirmed_elsewhere(judge: Callable[..., GatewayJudge]) -> None:
    report = score("sub", keys(), answers()[:40], CARD, scored_at="now", caption_judge=judge("erring"))
    assert all(finding.ok for finding in after_regeneration(report, keys().items, CARD))


def test_what_is_no_verdict_is_unread(judge: Callable[..., GatewayJudge]) -> None:
    assert judge("talker")([("two mugs on a red table", "two mugs")]) == ["unread"]


def test_a_stand_in_that_is_asked_something_else_says_so() -> None:
    messages = [Message(role="user", content="Hello")]
    assert open_solver("caption-judge").reply(messages) == NOTHING_ASKED


def test_equal_questions_are_asked_once_and_answered_alike(judge: Callable[..., GatewayJudge]) -> None:
    case = ("two mugs on a red table", "two mugs on a red table")
    assert judge("judge")([case, case, (case[0], "one mug")]) == ["correct", "correct", "incorrect"]


def test_settings_that_do_not_fit_are_a_refusal_and_say_which(judge: Callable[..., GatewayJudge]) -> None:
    with pytest.raises(JudgeRefusalError, match="TETRAD_SCORING_JUDGE_MODEL"):
        judge("nobody")([("a", "b")])
    with pytest.raises(JudgeRefusalError, match="401"):
        judge("judge", "another-token-of-tests")([("a", "b")])


def test_a_gateway_that_is_away_or_busy_is_waited_for() -> None:
    for transport in (httpx.MockTransport(lambda _: httpx.Response(503)), None):
        http = None if transport is None else httpx.Client(transport=transport)
        one = GatewayJudge(url="http://127.0.0.1:9", token=TOKEN, model="judge", timeout_seconds=1, http=http)
        with pytest.raises(JudgeUnavailableError):
            one([("a", "b")])
        one.close()


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Welcome</html>",
        b'{"choices": []}',
        b"\xff",
        b"",
        b"[]",
        b'{"choices": [{"message": {"content": null}}]}',
    ],
)
def test_what_is_no_reply_is_unread(answering: Callable[..., GatewayJudge], body: bytes) -> None:
    assert answering(body)([("two mugs on a red table", "two mugs")]) == ["unread"]


def test_an_answer_that_is_packed_wrongly_is_unread_and_a_redirection_a_refusal(
    answering: Callable[..., GatewayJudge],
) -> None:
    assert answering(b"no gzip", headers={"Content-Encoding": "gzip"})([("a", "b")]) == ["unread"]
    with pytest.raises(JudgeRefusalError, match="302"):
        answering(b"", status=302)([("a", "b")])


def test_what_is_not_judged_in_time_is_unread(
    answering: Callable[..., GatewayJudge], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(caption_judge, "JUDGING_SECONDS", 2)
    captions = [("a mug", str(number)) for number in range(400)]
    verdicts = answering(RIGHT, delay=0.2)(captions)
    assert verdicts[:8] == ["correct"] * 8
    assert verdicts[-8:] == ["unread"] * 8
    assert "captions without the judge's verdict" in caplog.text
    began = time.monotonic()
    assert answering(RIGHT, delay=30)(captions) == ["unread"] * 400
    assert time.monotonic() - began < 15


def test_a_single_reply_that_takes_too_long_is_waited_for_another_time(answering: Callable[..., GatewayJudge]) -> None:
    with pytest.raises(JudgeUnavailableError, match="ReadTimeout"):
        answering(RIGHT, delay=30, timeout_seconds=0.3)([("a", "b")])


def test_the_judges_time_is_well_under_the_jobs() -> None:
    assert caption_judge.JUDGING_SECONDS == 300, "docs/run.md says five minutes"
    assert ATTEMPT_SECONDS > 2 * caption_judge.JUDGING_SECONDS


VARIABLES = {
    f"{PREFIX}_DATABASE_URL": "sqlite:///x",
    f"{PREFIX}_REDIS_URL": "redis://x",
    f"{PREFIX}_STORE_URL": "file:///x",
    f"{PREFIX}_GENERATOR_URL": "http://x",
    f"{PREFIX}_GENERATOR_KEYS_TOKEN": "t" * 32,
}


def test_there_is_no_judge_unless_one_is_named_and_can_be_reached() -> None:
    assert open_judge(load_settings(ScoringSettings, PREFIX, VARIABLES)) is None
    with pytest.raises(SettingsError, match="GATEWAY_URL"):
        load_settings(ScoringSettings, PREFIX, VARIABLES | {f"{PREFIX}_JUDGE_MODEL": "judge"})
    more = {f"{PREFIX}_JUDGE_MODEL": "judge", f"{PREFIX}_GATEWAY_URL": "http://x", f"{PREFIX}_GATEWAY_TOKEN": "t"}
    opened = open_judge(load_settings(ScoringSettings, PREFIX, VARIABLES | more))
    assert opened is not None
    opened.close()
