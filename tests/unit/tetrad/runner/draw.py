"""A draw of KiVA held in memory, as the runner's port: real items, real gating, sealed answers that never change."""

import zlib
from collections.abc import Iterator, Sequence
from threading import Lock

from generator_service.benchmark import Streams
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.drawing.png import encode_png
from tetrad.contracts.answers import Answer, SealedAnswer, SealReceipt
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.submissions import OpenQuestion
from tetrad.contracts.wire import ParameterValue
from tetrad.extraction.answers import extract_answer
from tetrad.prompting.turns import joined_questions
from tetrad.streams import StreamFamily


class KivaDraw:
    """`items` trials; `sealed` are the answers by (item, question), in the order in which they came.

    With `joined`, a trial's questions are one conversation.
    """

    def __init__(self, bank: KivaBank, items: int, *, joined: bool = False, **given: ParameterValue) -> None:
        self._bank, self._joined = bank, joined
        parameters = {knob.name: knob.default for knob in BENCHMARK.card.parameters} | given
        cells = list(BENCHMARK.strata("kiva", "full", parameters))
        self.scenes = [
            BENCHMARK.sample(
                self._bank,
                "kiva",
                "full",
                parameters,
                cells[index % len(cells)].facets,
                Streams(StreamFamily(b"run" * 11, index)),
            )
            for index in range(items)
        ]
        self.sealed: dict[tuple[int, str], str] = {}
        self.batches: list[int] = []
        self.fetched: list[tuple[int, str]] = []
        self.requests: list[tuple[int | str, ...]] = []
        self._lock = Lock()

    def keyed(self, item: int) -> dict[str, KeyedQuestion]:
        return {keyed.question.id: keyed for keyed in BENCHMARK.questions(self.scenes[item])}

    def questions(self, items: Sequence[int] | None = None) -> Iterator[OpenQuestion]:
        for item in range(len(self.scenes)) if items is None else items:
            if self._joined:
                yield from self._next_turns(item)
            else:
                yield from (OpenQuestion(item=item, question=keyed.question) for keyed in self._open(item))

    def _next_turns(self, item: int) -> list[OpenQuestion]:
        opened = [keyed.question for keyed in self._open(item, answered=True)]
        sealed = [
            SealedAnswer(item=item, question=question, response=reply)
            for (at, question), reply in list(self.sealed.items())
            if at == item
        ]
        return joined_questions(item, opened, sealed)

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        with self._lock:
            self.fetched.append((asked.item, name))
        # Tests compare the bytes. ISA-L's once differed in a second call: another copy of six equal bytes was named.
        return encode_png(BENCHMARK.render(self._bank, self.scenes[asked.item], name), zlib.compress)

    def seal(self, answers: Sequence[Answer]) -> SealReceipt:
        self.batches.append(len(answers))
        for answer in answers:
            assert (answer.item, answer.question) not in self.sealed
            assert answer.response is not None
            self.sealed[answer.item, answer.question] = answer.response
        done = not any(self._open(item) for item in range(len(self.scenes)))
        state = "queued" if done else "open"
        return SealReceipt(accepted=len(answers), unchanged=0, dry_run=False, state=state, answered=len(self.sealed))

    def right(self) -> float:
        verdicts = [
            self._read(item, question) == self.keyed(item)[question].key.label for item, question in self.sealed
        ]
        return sum(verdicts) / len(verdicts)

    def _open(self, item: int, *, answered: bool = False) -> list[KeyedQuestion]:
        readings = {question: self._read(at, question) for at, question in list(self.sealed) if at == item}
        opened = BENCHMARK.next_questions(self.scenes[item], readings)
        return [
            keyed for name, keyed in self.keyed(item).items() if name in opened and (answered or name not in readings)
        ]

    def _read(self, item: int, question: str) -> str | None:
        return extract_answer(self.keyed(item)[question].question.shape, None, self.sealed[item, question]).answer
