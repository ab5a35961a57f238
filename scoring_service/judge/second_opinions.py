"""Which answers a judge is asked about, by their shape, and where its verdict goes: one entry a shape."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from scoring_service.judge.caption_judge import CaptionJudge, JudgedCaption
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import DiagnosisKey, KeyedQuestion, StateCaptionKey
from tetrad.contracts.reports import QuestionResult
from tetrad.extraction.captions.text import caption_text

JUDGE = "judge"
Pair = tuple[KeyedQuestion, QuestionResult]

# Each takes its own key struct, hence Any.
_FACTS: Mapping[type, Callable[[Any], str]] = {
    StateCaptionKey: lambda key: caption_text(key.values),
    DiagnosisKey: lambda key: caption_text(key.final.values),
}


def with_opinions(pairs: Sequence[Pair], answers: Sequence[SealedAnswer], judge: CaptionJudge) -> list[Pair]:
    """Return the same results, each caption that came as text with the judge's verdict in its outcome."""
    replies = {(answer.item, answer.question): answer.response for answer in answers}
    asked = list(_asked(pairs, replies))
    verdicts = judge([case for _, case in asked])
    found = {place: verdict for (place, _), verdict in zip(asked, verdicts, strict=True)}
    return [
        (keyed, _added(result, found[place]) if place in found else result)
        for place, (keyed, result) in enumerate(pairs)
    ]


def _asked(pairs: Sequence[Pair], replies: Mapping[tuple[int, str], str | None]) -> Iterator[tuple[int, JudgedCaption]]:
    for place, (keyed, result) in enumerate(pairs):
        reply = replies.get((result.item, result.question))
        if reply and type(keyed.key) in _FACTS:
            yield place, (_FACTS[type(keyed.key)](keyed.key), reply)


def _added(result: QuestionResult, verdict: str) -> QuestionResult:
    return msgspec.structs.replace(result, outcome={**result.outcome, JUDGE: verdict})
