"""Write questions about photographs: draw C and a program, let a model write, two models check, and count.

A question is kept if it breaks no rule and at least one of the checking models, who see D, answers it rightly (section
3 of the paper). Its options are asked in an order drawn for the item: otherwise a writer that always puts the right one
first, and a model that always takes the first, would agree. Every item is drawn from its number and the seed alone. Its
outcome is written down once it is known, so that an interrupted job goes on.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.photographs.bank import PhotographBank
from generator_service.benchmarks.visanalog.programs import PROGRAMS, programs_of
from generator_service.benchmarks.visanalog.spec import LABELS
from generator_service.benchmarks.visanalog.transforming import transformed
from generator_service.benchmarks.visanalog.writing.drafts import (
    Draft,
    asking,
    faults,
    question_of,
    read_draft,
    right_label,
)
from generator_service.drawing.png import encode_png
from tetrad.contracts.inference import Message
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.question_words import words_of
from tetrad.prompting import Wording, find_strategy
from tetrad.streams import Stream

Ask = Callable[[str, list[Message]], str]
"""(model, messages) -> the model's reply."""
MOST_STEPS = 4
KEPT, UNREADABLE, UNSOLVED = "kept", "no draft in the reply", "answered rightly by no checking model"
WRITTEN = "written.jsonl"


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one item: the photograph, the program, the draft if there was one, and what became of it.

    outcome: KEPT, or why it was not kept. order: the places of the draft's options, as they were asked. answers: what
    each checking model took, as the draft's letter, "" where unread.
    """

    number: int
    photograph: str
    program: list[str]
    outcome: str
    draft: Draft | None = None
    order: list[int] = []
    answers: list[str] = []


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a job: items by outcome, and kept ones by steps. resumed: items that an earlier try had done."""

    writer: str
    checkers: list[str]
    items: int
    kept: int
    outcomes: dict[str, int]
    kept_by_steps: dict[str, int]
    resumed: int


def write_questions(  # noqa: PLR0917 - what from, by whom, how many, and where to
    bank: PhotographBank, ask: Ask, writer: str, checkers: Sequence[str], items: int, seed: str, folder: Path
) -> Report:
    """Write questions until there are outcomes of so many items; return the counts.

    Raises:
        ValueError: the folder has outcomes of other items than these.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / WRITTEN
    done = list(_known(path))
    resumed = min(len(done), items)
    if [one.number for one in done] != list(range(len(done))):
        raise ValueError(f"{path} has items out of their order: it is of another job, or damaged; name another folder")
    with path.open("ab") as out:
        for number in range(len(done), items):
            one = _written(bank, ask, writer, checkers, seed, number)
            done.append(one)
            out.write(msgspec.json.encode(one) + b"\n")
            out.flush()
    return _report(done[:items], writer, checkers, resumed=resumed)


def _known(path: Path) -> Iterator[Written]:
    """Yield the outcomes that are written down; a line that was cut off when the job was killed is dropped."""
    if not path.exists():
        return
    body = path.read_bytes()
    whole = body[: body.rfind(b"\n") + 1]
    if whole != body:
        path.write_bytes(whole)
    for line in whole.splitlines():
        yield msgspec.json.decode(line, type=Written)


def drawn(bank: PhotographBank, seed: str, number: int) -> tuple[str, int]:
    """Return the photograph and the program of an item: one to four steps in turn."""
    stream = Stream("tetrad/visanalog/writing/1", seed, number)
    return stream.choice(bank.telling), stream.choice(programs_of(1 + number % MOST_STEPS))


def _written(  # noqa: PLR0917 - one item of `write_questions`
    bank: PhotographBank, ask: Ask, writer: str, checkers: Sequence[str], seed: str, number: int
) -> Written:
    photograph, program = drawn(bank, seed, number)
    whole = bank.picture(photograph)
    source, target = encode_png(whole), encode_png(transformed(whole, PROGRAMS[program]))
    steps = wording.step_words(PROGRAMS[program])
    made = Written(number=number, photograph=photograph, program=steps, outcome=UNREADABLE)
    draft = read_draft(ask(writer, asking(steps, source, target)))
    if draft is None:
        return made
    if broken := next(faults(draft), ""):
        return msgspec.structs.replace(made, draft=draft, outcome=broken)
    order = Stream("tetrad/visanalog/writing/order/1", seed, number).shuffled(range(len(LABELS)))
    question = question_of(draft, order)
    messages = find_strategy("direct").messages(question, {"1": target}, Wording())
    words = words_of(question)
    taken = [extract_answer(question.shape, None, ask(name, messages), words=words).answer for name in checkers]
    answers = [LABELS[order[LABELS.index(label)]] if label in LABELS else "" for label in taken]
    outcome = KEPT if right_label(draft) in answers else UNSOLVED
    return msgspec.structs.replace(made, draft=draft, order=list(order), answers=answers, outcome=outcome)


def _report(done: Sequence[Written], writer: str, checkers: Sequence[str], *, resumed: int) -> Report:
    kept = [one for one in done if one.outcome == KEPT]
    return Report(
        writer=writer,
        checkers=list(checkers),
        items=len(done),
        kept=len(kept),
        outcomes=dict(sorted(Counter(one.outcome for one in done).items())),
        kept_by_steps=dict(sorted(Counter(str(len(one.program)) for one in kept).items())),
        resumed=resumed,
    )
