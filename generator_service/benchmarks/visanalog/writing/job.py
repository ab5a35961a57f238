"""Write questions about photographs: draw C and a program, let a model write, two models check, and count.

A question is kept if it breaks no rule, two people accept it (where they are asked), and at least one of the checking
models, who see D, answers it rightly (section 3 of the paper). Its options are asked in an order drawn for the item:
otherwise a writer that always puts the right one first, and a model that always takes the first, would agree. Every
item is drawn from its number and the seed alone. Its outcome is written down once it is known, so that an interrupted
job goes on.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import httpx
import msgspec

from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.photographs.bank import PhotographBank
from generator_service.benchmarks.visanalog.programs import PROGRAMS, programs_of
from generator_service.benchmarks.visanalog.spec import LABELS
from generator_service.benchmarks.visanalog.transforming import transform_picture
from generator_service.benchmarks.visanalog.writing.drafts import (
    Draft,
    asking,
    faults,
    question_of,
    read_draft,
    right_label,
)
from generator_service.drawing.png import encode_png
from tetrad.contracts.inference import ChatReply, ChatRequest, Message
from tetrad.extraction.answers import extract_from
from tetrad.prompting import Wording, find_strategy
from tetrad.streams import Stream

Ask = Callable[[str, list[Message]], str]
"""(model, messages) -> the model's reply."""
MOST_STEPS = 4
CHECKERS = 2
KEPT, UNREADABLE, UNSOLVED = "kept", "no draft in the reply", "answered rightly by no checking model"
DRAFTED, REFUSED = "breaks no rule", "not accepted by two people"
WRITTEN, DRAFTS, PICTURES = "written.jsonl", "drafts.jsonl", "pictures"


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one item: the photograph, the program, the draft if there was one, and what became of it.

    outcome: KEPT, or why it was not kept; DRAFTED until people and models have been asked. order: the places of the
    draft's options, as they were asked. answers: what each checking model took, as the draft's letter, "" where unread.
    """

    number: int
    photograph: str
    program: list[str]
    outcome: str
    draft: Draft | None = None
    order: list[int] = []
    answers: list[str] = []


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a job: items by outcome, and kept ones by steps.

    stages: how many passed each, in order. resumed: items that an earlier try had done.
    """

    writer: str
    checkers: list[str]
    items: int
    kept: int
    outcomes: dict[str, int]
    kept_by_steps: dict[str, int]
    resumed: int
    stages: dict[str, int] = {}


PEOPLE = 2
"""So many must accept both the relation and the answer (the paper, section 3)."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person on one draft.

    draft: its number. relation: A and B show one edit and no other. answer: the question has one right option, given
    D, and it is the draft's.
    """

    draft: int
    person: str
    relation: bool
    answer: bool


def read_verdicts(path: Path, drafts: Iterable[int]) -> Mapping[int, bool]:
    """Return for each of these drafts whether two people accept it.

    The file is JSON Lines, one verdict of one person on one draft a line:
    {"draft": 3, "person": "anna", "relation": true, "answer": true}

    Raises:
        ValueError: the file can't be read, a person speaks twice of a draft, or a draft has fewer than two verdicts.
    """
    wanted = list(drafts)
    said: dict[int, dict[str, Verdict]] = defaultdict(dict)
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ValueError(f"{path} can't be read ({error}); give the people's verdicts as JSON lines") from error
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=Verdict)
        except msgspec.DecodeError as error:
            form = '{"draft": 0, "person": "...", "relation": true, "answer": true}'
            raise ValueError(f"{path}, line {place}: {error}; write {form}") from error
        if one.person.strip() in said[one.draft]:
            raise ValueError(f"{path}, line {place}: {one.person} speaks twice of draft {one.draft}; keep one line")
        said[one.draft][one.person.strip()] = one
    if lacking := [draft for draft in wanted if len(said[draft]) < PEOPLE]:
        listed = ", ".join(map(str, lacking[:20])) + (", ..." if len(lacking) > 20 else "")  # noqa: PLR2004 - as many fit
        raise ValueError(f"{path}: fewer than {PEOPLE} people speak of the drafts {listed}; add their verdicts")
    return {
        draft: sum(verdict.relation and verdict.answer for verdict in said[draft].values()) >= PEOPLE
        for draft in wanted
    }


SECONDS = 300.0


class ModelUnavailableError(Exception):
    """The gateway gives no reply of a model; the message says what it answered, and what to check."""


class Gateway:
    """Asks models of one gateway, one request at a time, at temperature 0; a model's own cap bounds its replies."""

    def __init__(self, url: str, token: str, http: httpx.Client | None = None) -> None:
        """`http` is a client to use; by default one is made."""
        self._address = url.rstrip("/") + "/v1/chat/completions"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._http = http or httpx.Client(timeout=SECONDS)

    def __call__(self, model: str, messages: list[Message]) -> str:
        """Return a model's reply; "" where it said nothing.

        Raises:
            ModelUnavailableError: the gateway can't be reached, or answers with an error.
        """
        request = ChatRequest(model=model, messages=messages, temperature=0.0)
        try:
            response = self._http.post(self._address, content=msgspec.json.encode(request), headers=self._headers)
        except httpx.TransportError as error:
            raise ModelUnavailableError(f"{self._address} can't be reached ({error}); check --gateway") from error
        if not response.is_success:
            raise ModelUnavailableError(
                f"{self._address} answered {response.status_code} for model {model!r} ({response.text[:300]}); check "
                "the model's name and TETRAD_GATEWAY_TOKEN"
            )
        choices = msgspec.json.decode(response.content, type=ChatReply).choices
        return (choices[0].message.content or "") if choices else ""


def draft_questions(  # noqa: PLR0917 - what from, by whom, how many, and where to
    bank: PhotographBank, ask: Ask, writer: str, items: int, seed: str, folder: Path
) -> Report:
    """Write drafts for people to judge, with the pictures A, B, C and D of each sound one; return the counts.

    Raises:
        ValueError: the folder has drafts of other items than these.
    """

    def make(number: int) -> Written:
        one = _draft_item(bank, ask, writer, seed, number)
        if one.outcome == DRAFTED:
            _show(bank, seed, number, folder / PICTURES)
        return one

    done, resumed = _make_items(folder / DRAFTS, items, make)
    return _report(done, writer, (), resumed=resumed, by_people=False)


def write_questions(  # noqa: PLR0917 - what from, by whom, how many, and where to
    bank: PhotographBank,
    ask: Ask,
    writer: str,
    checkers: Sequence[str],
    items: int,
    seed: str,
    folder: Path,
    verdicts: Path | None = None,
) -> Report:
    """Write questions until there are outcomes of so many items; return the counts.

    verdicts: what people said of the drafts of `draft_questions` in this folder. Models check those drafts alone that
    two people accept.

    Raises:
        ValueError: it is not two different models that check, the folder has outcomes of other items than these, or
            drafts or verdicts are missing.
    """
    _check_checkers(checkers)
    drafts, accepted = ({}, {}) if verdicts is None else _read_judged(folder / DRAFTS, items, verdicts)

    def make(number: int) -> Written:
        one = drafts[number] if verdicts is not None else _draft_item(bank, ask, writer, seed, number)
        if one.outcome != DRAFTED:
            return one
        if not accepted.get(number, True):
            return msgspec.structs.replace(one, outcome=REFUSED)
        return _check_draft(bank, ask, checkers, seed, one)

    done, resumed = _make_items(folder / WRITTEN, items, make)
    return _report(done, writer, checkers, resumed=resumed, by_people=verdicts is not None)


def _read_judged(path: Path, items: int, verdicts: Path) -> tuple[Mapping[int, Written], Mapping[int, bool]]:
    """Return the drafts by number, and whether two people accept the sound ones."""
    drafts = {draft.number: draft for draft in _read_written(path)}
    if any(number not in drafts for number in range(items)):
        raise ValueError(f"{path} has {len(drafts)} of {items} drafts; write them first, with --for-people")
    sound = [number for number in range(items) if drafts[number].outcome == DRAFTED]
    return drafts, read_verdicts(verdicts, sound)


def _make_items(path: Path, items: int, make: Callable[[int], Written]) -> tuple[list[Written], int]:
    """Return the outcomes of so many items, and how many were there before; write down each new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = list(_read_written(path))
    resumed = min(len(done), items)
    if [written.number for written in done] != list(range(len(done))):
        raise ValueError(f"{path} has items out of their order: it is of another job, or damaged; name another folder")
    with path.open("ab") as out:
        for number in range(len(done), items):
            one = make(number)
            done.append(one)
            out.write(msgspec.json.encode(one) + b"\n")
            out.flush()
    return done[:items], resumed


def _check_checkers(checkers: Sequence[str]) -> None:
    if len(checkers) != CHECKERS or len(set(checkers)) != CHECKERS:
        given = ", ".join(checkers) or "none"
        raise ValueError(f"two different models check (the paper, section 3), given: {given}; give --checker twice")


def _read_written(path: Path) -> Iterator[Written]:
    """Yield the outcomes that are written down; a line that was cut off when the job was killed is dropped."""
    if not path.exists():
        return
    body = path.read_bytes()
    whole = body[: body.rfind(b"\n") + 1]
    if whole != body:
        path.write_bytes(whole)
    for line in whole.splitlines():
        yield msgspec.json.decode(line, type=Written)


def draw_item(bank: PhotographBank, seed: str, number: int) -> tuple[str, int]:
    """Return the photograph and the program of an item: one to four steps in turn."""
    stream = Stream("tetrad/visanalog/writing/1", seed, number)
    return stream.choice(bank.telling), stream.choice(programs_of(1 + number % MOST_STEPS))


def _draft_item(bank: PhotographBank, ask: Ask, writer: str, seed: str, number: int) -> Written:
    """Let the writer write one item."""
    photograph, program = draw_item(bank, seed, number)
    whole = bank.picture(photograph)
    source, target = encode_png(whole), encode_png(transform_picture(whole, PROGRAMS[program]))
    steps = wording.step_words(PROGRAMS[program])
    made = Written(number=number, photograph=photograph, program=steps, outcome=UNREADABLE)
    draft = read_draft(ask(writer, asking(steps, source, target)))
    if draft is None:
        return made
    return msgspec.structs.replace(made, draft=draft, outcome=next(faults(draft), DRAFTED))


def _check_draft(bank: PhotographBank, ask: Ask, checkers: Sequence[str], seed: str, one: Written) -> Written:
    """Let the checking models answer a sound draft."""
    if one.draft is None:
        return one
    photograph, program = draw_item(bank, seed, one.number)
    target = encode_png(transform_picture(bank.picture(photograph), PROGRAMS[program]))
    order = Stream("tetrad/visanalog/writing/order/1", seed, one.number).shuffle(range(len(LABELS)))
    question = question_of(one.draft, order)
    messages = find_strategy("direct").messages(question, {"1": target}, Wording())
    taken = [extract_from(question, None, ask(name, messages)).answer for name in checkers]
    answers = [LABELS[order[LABELS.index(label)]] if label in LABELS else "" for label in taken]
    outcome = KEPT if right_label(one.draft) in answers else UNSOLVED
    return msgspec.structs.replace(one, order=list(order), answers=answers, outcome=outcome)


def _show(bank: PhotographBank, seed: str, number: int, folder: Path) -> None:
    """Save the pictures of an item for people. A is not C, and on it no other program is like the item's."""
    photograph, program = draw_item(bank, seed, number)
    others = [name for name in bank.telling if name != photograph and not bank.alike(name, program)]
    first = Stream("tetrad/visanalog/writing/a/1", seed, number).choice(others)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (before, after) in ((first, "AB"), (photograph, "CD")):
        whole = bank.picture(name)
        (folder / f"{number}-{before}.png").write_bytes(encode_png(whole))
        (folder / f"{number}-{after}.png").write_bytes(encode_png(transform_picture(whole, PROGRAMS[program])))


def _report(done: Sequence[Written], writer: str, checkers: Sequence[str], *, resumed: int, by_people: bool) -> Report:
    kept = [written for written in done if written.outcome == KEPT]
    outcomes = Counter(written.outcome for written in done)
    sound = sum(outcomes[outcome] for outcome in (DRAFTED, REFUSED, UNSOLVED, KEPT))
    stages = {"asked for": len(done), "drafts": len(done) - outcomes[UNREADABLE], "break no rule": sound}
    if by_people:
        stages["accepted by two people"] = sound - outcomes[REFUSED]
    if checkers:
        stages["answered rightly by a checking model"] = len(kept)
    return Report(
        writer=writer,
        checkers=list(checkers),
        items=len(done),
        kept=len(kept),
        outcomes=dict(sorted(outcomes.items())),
        kept_by_steps=dict(sorted(Counter(str(len(written.program)) for written in kept).items())),
        resumed=resumed,
        stages=stages,
    )
