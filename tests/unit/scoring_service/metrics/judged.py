"""Judged questions, written short."""

from scoring_service.metrics.scored_questions import ScoredQuestion


def mark(
    item: int,
    verdict: bool | None = True,  # noqa: FBT001, FBT002 - right, wrong, or (None) nothing read
    *,
    choice: str = "",
    kind: str = "which",
    cluster: str = "",
    **facets: str,
) -> ScoredQuestion:
    read = None if verdict is None else choice or ("right" if verdict else "wrong")
    return ScoredQuestion(item, cluster or f"item-{item}", kind, {"question": kind, **facets}, verdict is True, read)
