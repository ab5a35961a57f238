"""Scoring, played by the tests: reports, and the rows that the real service writes with them."""

import hashlib
from typing import Any

import sqlalchemy as sa
from msgspec import json

from api.database.schema import events, reports, submissions
from api.settings import ApiSettings
from tests.integration.api.team import NONCE, Team
from tests.integration.api.trio import BANK, key_of
from tests.integration.real_generator import seed_of
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.reports import IntervalValue, MetricValue, QuestionResult, Report, Versions
from tetrad.server.objects import open_store

VERSIONS = Versions(tetrad="0", benchmark=2, reader=1, scorer=1, bank=BANK)


def metric(total: float, items: int) -> MetricValue:
    bounds = IntervalValue(lower=0.0, upper=1.0, level=0.95, method="none")
    return MetricValue(
        name="which",
        facets={},
        value=total / items if items else None,
        interval=bounds,
        standard_error=None,
        items=items,
        questions=items,
        total=total,
    )


def result(submission: str, item: int, verdict: str) -> QuestionResult:
    key = key_of(seed_of(submission, NONCE), item, "what-0")
    facets = {"stage": "what"}
    return QuestionResult(
        item=item, question="what-0", verdict=verdict, answer=key, key=key, reason="stated", facets=facets
    )


def report_on(shown: dict[str, Any], total: float, verdict: str = "correct") -> Report:
    size, submission = shown["size"], shown["id"]
    return Report(
        submission=submission,
        identity=DrawIdentity(**shown["identity"]),
        size=size,
        seed=seed_of(submission, NONCE),
        commitment=shown["commitment"],
        scored_at="2026-01-01T00:00:00.000Z",
        versions=VERSIONS,
        headline=metric(total, size),
        metrics=[metric(total, size)],
        questions_asked=size,
        unread=1,
        missing=0,
        answers_digest="0" * 64,
        questions=[result(submission, item, verdict) for item in range(size)],
    )


class Scoring:
    """Scores as the real service does: the object first, then the rows."""

    def __init__(self, settings: ApiSettings, engine: sa.Engine) -> None:
        self.store = open_store(settings.store_url)
        self.engine = engine

    def score(
        self,
        team: Team,
        submission: str,
        total: float = 3.0,
        at: int = 1_800_000_000_000,
        *,
        verdict: str = "correct",
    ) -> Report:
        report = report_on(team.get(f"/v1/submissions/{submission}").json(), total, verdict)
        body = json.encode(report)
        name = f"reports/{submission}/1.json"
        self.store.put(name, body)
        row = {
            "submission_id": submission,
            "attempt": 1,
            "object": name,
            "digest": hashlib.sha256(body).hexdigest(),
            "seed": report.seed,
            "metric": "which",
            "headline": json.encode(report.headline).decode(),
            "total": total,
            "items": report.size,
            "asked": report.size,
            "unread": 1,
            "missing": 0,
            "scored_at": at,
            "differences": "[]",
        }
        told = {"submission_id": submission, "at": at, "kind": "scored", "data": "{}"}
        with self.engine.begin() as connection:
            connection.execute(sa.insert(reports).values(row))
            scored = sa.update(submissions).where(submissions.c.id == submission)
            connection.execute(scored.values(state="scored", scored_at=at, attempt=1))
            connection.execute(sa.insert(events).values(told))
        return report


def finished(team: Team, size: int = 4, **fields: Any) -> str:
    submission = team.open(size=size, **fields)
    answers = [
        {"item": one["item"], "question": "what-0", "response": f"number {one['item']}: A"}
        for one in team.questions(submission)
    ]
    assert team.seal(submission, *answers).status_code == 200
    team.post(f"/v1/submissions/{submission}/finish")
    return submission
