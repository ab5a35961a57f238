"""Tasks for Inspect: `inspect eval tetrad/practice -T benchmark=kiva --model openai/gpt-x`, and `tetrad/sealed`.

Needs the extra `inspect`, whose entry point names this module. A sample is an item of the service at $TETRAD_URL. Its
questions are asked one after the other, each as `tetrad submit` asks it, and the service says what opens next.

`practice`: fresh items, scored at once, by the extraction that scores submissions. `sealed`: a submission, whose score
comes with its report when all of its items are answered, and stands on the board.
"""

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Metric, SampleScore, Score, accuracy, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from tetrad.cli.credentials import connect_with_key
from tetrad.cli.team.opening import open_with_model
from tetrad.cli.team.reports import wait_scored
from tetrad.client import Client
from tetrad.contracts.answers import Answer, PracticeAnswer, SealedAnswer
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import DEFAULT_SIZE, OpenQuestion, SubmissionRequest
from tetrad.prompting import Strategy, Wording, find_strategy
from tetrad.prompting.turns import joined_questions
from tetrad.runner.fitting import fit_reply
from tetrad.runner.inspect_models import chat_of, reply_of
from tetrad.runner.loop import picture_names
from tetrad.runner.over_http import SubmissionOverHttp

PAGE = 50  # items


@task  # type: ignore[untyped-decorator]  # Inspect is an extra
def practice(  # noqa: PLR0917 -- -T gives them by name
    benchmark: str = "kiva",
    track: str | None = None,
    setting: str | None = None,
    seed: str = "1",
    count: int = 50,
    strategy: str = "direct",
    url: str | None = None,
) -> Task:
    """Ask practice items: fresh ones for each seed, whose solutions are public.

    Args:
        benchmark: for example kiva.
        track: the benchmark's first by default.
        setting: the track's first by default.
        seed: items of another seed are other items.
        count: how many items.
        strategy: the way to ask, as in `tetrad submit`.
        url: address of the service; $TETRAD_URL, else http://127.0.0.1:8000.
    """
    where = url or os.environ.get("TETRAD_URL") or "http://127.0.0.1:8000"
    with Client(where, os.environ.get("TETRAD_KEY")) as client:
        card = client.benchmark(benchmark).card
        conversation = card.conversation(card.place(track, setting)[1])
        samples: list[Sample] = []
        while len(samples) < count:
            page = client.practice(
                benchmark,
                track=track,
                setting=setting,
                seed=seed,
                offset=len(samples),
                limit=min(PAGE, count - len(samples)),
            )
            samples += [
                Sample(id=item.id, input=item.questions[0].text, metadata={"cluster": item.id, "index": item.index})
                for item in page.items
            ]
    return Task(
        dataset=MemoryDataset(samples, name=f"tetrad-{benchmark}"),
        solver=ask_item(where, strategy, is_joined=conversation == "joined"),
        scorer=verdicts(),
    )


@solver  # type: ignore[untyped-decorator]
def ask_item(url: str, strategy: str, *, is_joined: bool) -> Solver:
    """Ask the questions of an item until none is open."""
    chosen = find_strategy(strategy, Wording())

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        client = Client(url, os.environ.get("TETRAD_KEY"))
        item, given = str(state.sample_id), dict[str, PracticeAnswer]()
        questions: dict[str, Question] = {}
        try:
            while True:
                feedback = await asyncio.to_thread(client.check, item, list(given.values()))
                state.metadata["verdicts"] = [verdict.verdict for verdict in feedback.verdicts]
                questions |= {question.id: question for question in feedback.open}
                if not feedback.open:
                    return state
                asked = _next(questions, given, is_joined=is_joined)
                shown = asked.pictures()
                pictures = {
                    name: await asyncio.to_thread(client.picture, shown[name].url or "")
                    for name in picture_names(asked)
                }
                state, response, stop = await _ask(state, generate, chosen, asked, pictures)
                given[asked.question.id] = PracticeAnswer(question=asked.question.id, response=response, stop=stop)
        finally:
            client.close()

    return solve


async def _ask(
    state: TaskState, generate: Generate, strategy: Strategy, asked: OpenQuestion, pictures: Mapping[str, bytes]
) -> tuple[TaskState, str, StopKind | None]:
    """Go through the strategy's requests; return the state after the last, its reply, and why that ended."""
    replies: list[str] = []
    while len(replies) < strategy.steps.requests:
        messages = strategy.messages(asked.question, pictures, Wording(), replies, asked.earlier)
        state.messages = chat_of(messages)
        state = await generate(state)
        replies.append(state.output.completion)
    return state, fit_reply(replies[-1]).text, reply_of(state.output).stop


def _next(questions: dict[str, Question], given: dict[str, PracticeAnswer], *, is_joined: bool) -> OpenQuestion:
    if is_joined:
        sealed = [SealedAnswer(item=0, question=name, response=answer.response) for name, answer in given.items()]
        return joined_questions(0, list(questions.values()), sealed)[0]
    return OpenQuestion(item=0, question=next(question for name, question in questions.items() if name not in given))


@scorer(metrics=[accuracy(), stderr(cluster="cluster")])  # type: ignore[untyped-decorator]
def verdicts() -> Any:
    """Score an item by the verdicts on its questions."""

    async def score(state: TaskState, _: Any) -> Score:
        found: list[str] = state.metadata["verdicts"]
        right = sum(verdict == "correct" for verdict in found)
        return Score(value=right / len(found), answer=state.output.completion, explanation=", ".join(found))

    return score


@task(name="sealed")  # type: ignore[untyped-decorator]
def seal_submission(  # noqa: PLR0917 -- -T gives them by name
    name: str | None = None,
    benchmark: str = "kiva",
    track: str | None = None,
    setting: str | None = None,
    size: int = DEFAULT_SIZE,
    private: bool = False,  # noqa: FBT001, FBT002 -- likewise
    strategy: str = "direct",
    url: str | None = None,
    submission: str | None = None,
) -> Task:
    """Answer a submission, which is opened when the task is made. Its score is that of its report.

    The report comes when all items are answered. Where samples failed, the submission stays open: give its id to go on.

    Args:
        name: the model's name on the board, registered at first use; needed unless `submission` is given.
        benchmark: for example kiva.
        track: the benchmark's first by default.
        setting: the track's first by default.
        size: how many items.
        private: keep the submission off the board.
        strategy: the way to ask, as in `tetrad submit`.
        url: address of the service; $TETRAD_URL, else http://127.0.0.1:8000. The key is $TETRAD_KEY, or the kept one.
        submission: the id of an open submission to go on with.

    Raises:
        ValueError: the model's name is missing.
    """
    with connect_with_key(url) as client:
        if submission is not None:
            opened = client.submission(submission)
        elif name is None:
            raise ValueError("give -T name=MODEL, the name of the model on the board, or -T submission=ID to go on")
        else:
            request = SubmissionRequest(
                benchmark=benchmark,
                track=track,
                setting=setting,
                size=size,
                model=name,
                visibility="private" if private else "public",
            )
            opened = open_with_model(client, request)
    samples = [
        Sample(id=f"{opened.id}/{item}", input=f"item {item} of {opened.id}", metadata={"item": item})
        for item in range(opened.size)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"tetrad-{opened.identity.benchmark}"),
        solver=answer_item(opened.id, url, strategy),
        scorer=await_report(opened.id, url),
        metadata={"submission": opened.id},
    )


@solver  # type: ignore[untyped-decorator]
def answer_item(submission: str, url: str | None, strategy: str) -> Solver:
    """Answer the open questions of an item until it has none; each answer is sealed as it comes."""
    chosen = find_strategy(strategy, Wording())

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item, client = int(state.metadata["item"]), connect_with_key(url)
        port = SubmissionOverHttp(client, submission)
        state.metadata |= {"sealed": 0, "is_last": False}
        try:
            while not state.metadata["is_last"]:
                asked = await asyncio.to_thread(lambda: next(port.questions([item]), None))
                if asked is None:
                    return state
                pictures = {name: await asyncio.to_thread(port.picture, asked, name) for name in picture_names(asked)}
                state, response, stop = await _ask(state, generate, chosen, asked, pictures)
                answer = Answer(item=item, question=asked.question.id, response=response, stop=stop)
                receipt = await asyncio.to_thread(port.seal, [answer])
                state.metadata |= {"sealed": state.metadata["sealed"] + 1, "is_last": receipt.state != "open"}
            return state
        finally:
            client.close()

    return solve


@metric  # type: ignore[untyped-decorator]
def score() -> Metric:
    """Return the headline of the report; NaN while there is none."""
    return _of_report("score")


@metric  # type: ignore[untyped-decorator]
def unread() -> Metric:
    """Return the share of questions whose reply held no answer; NaN while there is no report."""
    return _of_report("unread")


def _of_report(name: str) -> Metric:
    def find(scores: list[SampleScore]) -> float:  # Inspect looks at this annotation
        found = (scored.score.metadata[name] for scored in scores if name in (scored.score.metadata or {}))
        return float(next(found, float("nan")))

    return find


@scorer(metrics=[score(), unread()])  # type: ignore[untyped-decorator]
def await_report(submission: str, url: str | None) -> Any:
    """Count an item's answers. The sample that gave the last one waits for the report and holds what it says."""

    async def count(state: TaskState, _: Any) -> Score:
        found: dict[str, Any] = {"submission": submission}
        if state.metadata["is_last"]:
            with connect_with_key(url) as client:
                report = await asyncio.to_thread(wait_scored, client, submission)
            found |= {"score": report.headline.value, "unread": report.unread / report.questions_asked}
        said = "all are sealed; the report is there" if state.metadata["is_last"] else "the score comes with the report"
        return Score(value=state.metadata["sealed"], answer=state.output.completion, explanation=said, metadata=found)

    return count
