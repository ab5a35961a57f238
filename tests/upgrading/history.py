"""What an instance is asked to keep: scored reports, open draws, a corpus, evaluations, a data set, boards, the log.

`write_history` makes all of it over HTTP and records what the service says of it. `find_changes` asks again, of a later
tree: a reply may have grown, and nothing that stood in it may be gone or different.
"""

import hashlib
import io
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
from PIL import Image

from tests.answering import answer_all, first, open_questions, open_submission, wait_scored
from tests.evaluating import COST, answering_after
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import Upstream
from tests.operating import approve_for
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.datasets import DatasetRequest
from tetrad.contracts.evaluations import EvaluationRequest

CORPUS = "marvel-published"
CORPUS_ITEMS = 12
STEADY = {"setting": "shade-only", "size": 20}
OPEN: tuple[dict[str, object], ...] = (
    {},
    {"benchmark": "marvel", "track": None, "size": 12},
    {"benchmark": "glimpse", "track": None, "size": 12},
)
ITEMS = 4  # of the data set
ASKED, PAUSED = 6, 100  # questions of an evaluation, and of one that is paused
PATIENCE = 120.0
PNG = b"\x89PNG"
# What a release may say in other words, and numbers of now: which keys were used when, how much is left.
NEW_IN_EACH_RELEASE = frozenset({"instance", "last_used_at", "used", "expires_at", "caps", "deadline_at", "usage"})


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What was made, and what the service said of it. `digests`: SHA-256 of pixels and shards by path."""

    release: str
    key: str
    scored: list[str]
    open: list[str]
    paused: str
    said: dict[str, Any]
    digests: dict[str, str]


def write_history(instance: Instance, upstream: Upstream, release: str) -> History:
    """Have the instance keep some of everything; its models file is that of `models_file`."""
    with instance.client() as stranger:
        key = stranger.register_team("keepers").key
    with instance.client(key) as team:
        approve_for(instance, team, CORPUS, cap=2)
        scored = [_score(team, model, **STEADY) for model in ("steady", "same-again")]
        scored.append(_score(team, "corpus", benchmark=CORPUS, track=CORPUS, setting="full", size=CORPUS_ITEMS))
        opened = [_answer_half(team, **change) for change in OPEN]
        done, paused = _evaluate(team, upstream)
        dataset = _make_dataset(team)
        runs = [run.submission for run in team.evaluation(done).runs]
        items = [
            f"/v1/benchmarks/{name}/items?seed=1&limit=3&version={team.benchmark(name).card.version}"
            for name in ("toy", "marvel", "carv")
        ]
        paths = [*_paths_of(scored, opened, done, dataset), f"/v1/submissions/{runs[0]}/report", *items]
        pictures = [*_pictures(team, opened), f"/v1/datasets/{dataset}/shards/0"]
    with httpx.Client(
        base_url=instance.url, headers={"Authorization": f"Bearer {key}"}, timeout=REPLY_SECONDS
    ) as asking:
        return History(
            release=release,
            key=key,
            scored=scored,
            open=opened,
            paused=paused,
            said={path: asking.get(path).raise_for_status().json() for path in paths},
            digests={path: _digest(asking, path) for path in pictures},
        )


def find_changes(instance: Instance, history: History) -> list[str]:
    """Ask for all that was recorded, and name each place where the reply has lost or changed something."""
    found = []
    with httpx.Client(
        base_url=instance.url, headers={"Authorization": f"Bearer {history.key}"}, timeout=REPLY_SECONDS
    ) as asking:
        for path, said in history.said.items():
            reply = asking.get(path)
            now = reply.json() if reply.is_success else reply.text
            found += [f"{path}: {place}" for place in _lost(said, now)]
        for path, digest in history.digests.items():
            found += [] if _digest(asking, path) == digest else [f"{path}: other bytes"]
    return found


def _lost(said: Any, now: Any, place: str = "") -> Iterator[str]:
    if isinstance(said, dict) and isinstance(now, dict):
        for name, value in said.items():
            if name not in NEW_IN_EACH_RELEASE:
                yield from _lost(value, now.get(name), f"{place}.{name}")
    elif isinstance(said, list) and isinstance(now, list) and len(said) == len(now):
        for number, (before, after) in enumerate(zip(said, now, strict=True)):
            yield from _lost(before, after, f"{place}[{number}]")
    elif said != now:
        yield f"{place} was {str(said)[:200]} and is {str(now)[:200]}"


def _digest(asking: httpx.Client, path: str) -> str:
    """Return SHA-256 of a file, of a picture that of its pixels: isal may pack the same pixels into other bytes."""
    content = asking.get(path, follow_redirects=True).content
    if content.startswith(PNG):
        picture = Image.open(io.BytesIO(content)).convert("RGBA")
        content = f"{picture.size}".encode() + picture.tobytes()
    return hashlib.sha256(content).hexdigest()


def _score(team: Client, model: str, **change: object) -> str:
    submission = open_submission(team, model, **change).id
    answer_all(team, submission)
    wait_scored(team, submission)
    return submission


def _answer_half(team: Client, **change: object) -> str:
    submission = open_submission(team, "half", **change).id
    waiting = list(open_questions(team, submission))
    answers = [Answer(item=asked.item, question=asked.question.id, answer=first(asked)) for asked in waiting]
    team.seal(submission, answers[: len(answers) // 2])
    return submission


def _evaluate(team: Client, upstream: Upstream) -> tuple[str, str]:
    """Run an evaluation to its end, and pause another half-way."""
    done = team.evaluate(_evaluation(ASKED)).id
    wait_until(lambda: team.evaluation(done).state == "done", PATIENCE)
    upstream.otherwise = answering_after(0.5)
    paused = team.evaluate(_evaluation(PAUSED)).id
    wait_until(lambda: team.evaluation(paused).runs[0].progress.questions_answered > 1, PATIENCE)
    team.pause_evaluation(paused)
    wait_until(lambda: team.evaluation(paused).state == "paused", PATIENCE)
    upstream.otherwise = answering_after(0)
    return done, paused


def _evaluation(size: int) -> EvaluationRequest:
    return EvaluationRequest(
        benchmark="toy", models=["dear"], setting="shade-only", size=size, concurrency=1, budget=1000 * size * COST
    )


def _make_dataset(team: Client) -> str:
    wanted = DatasetRequest(benchmark="marvel", seed="1", count=ITEMS, shard_items=ITEMS // 2, form="rows")
    dataset = team.order_dataset(wanted).id
    wait_until(lambda: team.dataset(dataset).state == "done", PATIENCE)
    return dataset


def _paths_of(scored: list[str], opened: list[str], evaluation: str, dataset: str) -> list[str]:
    own = [f"/v1/submissions/{submission}{part}" for submission in scored for part in ("", "/report", "/events")]
    return [
        *own,
        f"/v1/submissions/{scored[0]}/items",
        *(f"/v1/submissions/{submission}{part}" for submission in opened for part in ("", "/questions")),
        f"/v1/evaluations/{evaluation}",
        f"/v1/evaluations/{evaluation}/result",
        f"/v1/datasets/{dataset}",
        f"/v1/datasets/{dataset}/manifest",
        "/v1/leaderboards/toy?setting=shade-only",
        "/v1/models",
        "/v1/teams/me",
        "/v1/commitments",
    ]


def _pictures(team: Client, opened: list[str]) -> list[str]:
    """Return the address of a picture of each open question."""
    return [asked.question.pictures[0].url or "" for submission in opened for asked in open_questions(team, submission)]
