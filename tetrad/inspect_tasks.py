"""Tasks for Inspect: `inspect eval tetrad/practice -T benchmark=kiva --model openai/gpt-x`.

Needs the extra `inspect`, whose entry point names this module. A sample is a practice item of the service at
$TETRAD_URL. Its questions are asked one after the other, each as `tetrad submit` asks it, and the service says what
opens next. The score is the mean verdict over the item's questions, by the extraction that scores submissions.
"""

import asyncio
import os
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from tetrad.client import Client
from tetrad.contracts.answers import PracticeAnswer, SealedAnswer
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import OpenQuestion
from tetrad.prompting import Wording, find_strategy
from tetrad.prompting.turns import joined_questions
from tetrad.runner.fitting import fit_reply
from tetrad.runner.inspect_models import chat_of, reply_of
from tetrad.runner.loop import picture_names

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
    with Client(where) as client:
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
    chosen, wording = find_strategy(strategy, Wording()), Wording()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        client = Client(url)
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
                replies: list[str] = []
                while len(replies) < chosen.steps.requests:
                    messages = chosen.messages(asked.question, pictures, wording, replies, asked.earlier)
                    state.messages = chat_of(messages)
                    state = await generate(state)
                    replies.append(state.output.completion)
                given[asked.question.id] = PracticeAnswer(
                    question=asked.question.id, response=fit_reply(replies[-1]).text, stop=reply_of(state.output).stop
                )
        finally:
            client.close()

    return solve


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
