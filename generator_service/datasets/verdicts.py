"""Judge many replies to practice questions at once. Each is judged by itself, as a single one is."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from generator_service.items import GivenAnswer, Item, NeverOpenedError, select_asked
from generator_service.mounting import Mounted
from generator_service.practice import Practice, judge
from tetrad.contracts.answers import Verdict
from tetrad.contracts.items import KeyedQuestion
from tetrad.extraction.judging import CORRECT
from tetrad.internal.practice import JudgedReply, JudgeRequest, ReplyToJudge


def judge_replies(practice: Practice, request: JudgeRequest) -> list[JudgedReply]:
    """Return what becomes of each reply, in order. An item is made once for all replies to it.

    Raises:
        IdentityError: this instance does not make an item.
    """
    items: dict[int, _Judged] = {}
    judged = []
    for reply in request.replies:
        if reply.item not in items:
            items[reply.item] = _Judged(*practice.item(request.items[reply.item]))
        judged.append(items[reply.item].judge(reply))
    return judged


class _Judged:
    """An item that replies are judged of."""

    def __init__(self, mounted: Mounted, item: Item) -> None:
        self._mounted = mounted
        self._item = item

    @cached_property
    def _at_once(self) -> dict[str, KeyedQuestion]:
        return {keyed.question.id: keyed for keyed in select_asked(self._mounted, self._item, ())}

    def judge(self, reply: ReplyToJudge) -> JudgedReply:
        """Judge a reply by the key, after the answers that came earlier in its conversation; read it once."""
        try:
            before = self._find_asked(reply.earlier)
        except NeverOpenedError as error:
            return self._never(error.questions)
        keyed = before.get(reply.question)
        if keyed is None:
            return self._never([reply.question])
        judged = {given.question: judge(before[given.question], given) for given in reply.earlier}
        judged[reply.question] = verdict = judge(keyed, reply)
        after = self._find_asked_after(judged) if self._may_open(reply) else []
        return JudgedReply(
            verdict=verdict,
            opened=[name for name in after if name not in before],
            never=[],
            questions=len(self._item.questions),
            right=sum(each.verdict == CORRECT for each in judged.values()),
        )

    def _never(self, questions: list[str]) -> JudgedReply:
        return JudgedReply(verdict=None, opened=[], never=questions, questions=len(self._item.questions), right=0)

    def _may_open(self, reply: ReplyToJudge) -> bool:
        """Tell whether a reply can open a question: not one to a final question."""
        return not any(keyed.question.id == reply.question and keyed.question.final for keyed in self._item.questions)

    def _find_asked(self, answers: Sequence[GivenAnswer]) -> dict[str, KeyedQuestion]:
        if not answers:
            return self._at_once
        return {keyed.question.id: keyed for keyed in select_asked(self._mounted, self._item, answers)}

    def _find_asked_after(self, judged: Mapping[str, Verdict]) -> list[str]:
        extracted = {question: verdict.answer for question, verdict in judged.items()}
        return [keyed.question.id for keyed in select_asked(self._mounted, self._item, (), gated=extracted)]
