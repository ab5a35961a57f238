"""Programs that stay alive: real processes, one line in and one out, and what happens when they don't keep to it."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.unit.tetrad.runner.test_responders import prompt
from tests.unit.tetrad.solvers.panels import png, thing
from tetrad.runner import ModelReply, RefusedError, ReplyError, StandingProgram, TokenUsage

LOOP = "import json, os, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
Starts = Callable[..., StandingProgram]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starts]:
    """Return what starts a program whose source answers the question `asked`."""
    begun: list[StandingProgram] = []

    def start(source: str, **options: float) -> StandingProgram:
        file = tmp_path / "model.py"
        file.write_text(LOOP + "".join(f"    {line}\n" for line in source.splitlines()))
        processes = int(options.pop("processes", 1))
        begun.append(StandingProgram([sys.executable, str(file)], processes=processes, **options))
        return begun[-1]

    yield start
    for one in begun:
        one.close()


def test_one_process_answers_every_question(start: Starts) -> None:
    program = start('print(json.dumps({"reply": str(os.getpid())}), flush=True)')
    assert len({program(prompt()).text for _ in range(3)}) == 1


def test_copies_answer_side_by_side(start: Starts) -> None:
    program = start(
        'import time\ntime.sleep(0.2)\nprint(json.dumps({"reply": str(os.getpid())}), flush=True)', processes=2
    )
    with ThreadPoolExecutor(4) as pool:
        replies = [reply.text for reply in pool.map(lambda _: program(prompt()), range(4))]
    assert len(set(replies)) == 2


def test_pictures_are_files_while_the_question_is_asked_and_gone_afterwards(start: Starts) -> None:
    program = start(
        'with open(asked["pictures"][0]["path"], "rb") as file:\n'
        "    size = len(file.read())\n"
        'print(json.dumps({"reply": asked["pictures"][0]["path"] + f" {size}"}), flush=True)'
    )
    picture = png(thing())
    path, size = program(prompt(given=picture)).text.rsplit(" ", 1)
    assert int(size) == len(picture)
    assert not Path(path).exists()


def test_a_reply_says_why_it_ended_and_what_it_took(start: Starts) -> None:
    said = {"reply": " (2) ", "stop": "length", "usage": {"input": 900, "output": 3}}
    program = start(f"print(json.dumps({said!r}), flush=True)")
    assert program(prompt()) == ModelReply(text="(2)", stop="length", usage=TokenUsage(input=900, output=3))


def test_an_error_of_the_program_is_worth_another_attempt(start: Starts) -> None:
    program = start('print(json.dumps({"error": "out of memory"}), flush=True)')
    with pytest.raises(ReplyError, match="out of memory") as caught:
        program(prompt())
    assert not isinstance(caught.value, RefusedError)


def test_a_program_that_ends_is_quoted_and_started_again(start: Starts, tmp_path: Path) -> None:
    mark = tmp_path / "ended"
    program = start(
        f"if not os.path.exists({str(mark)!r}):\n"
        f"    open({str(mark)!r}, 'w').close()\n"
        "    sys.exit('CUDA is gone')\n"
        'print(json.dumps({"reply": "again"}), flush=True)'
    )
    with pytest.raises(ReplyError, match=r"ended without a reply: status 1: CUDA is gone"):
        program(prompt())
    assert program(prompt()).text == "again"


def test_a_line_that_is_no_reply_is_refused_with_the_remedy(start: Starts) -> None:
    program = start('print("Loading checkpoint shards: 100%", flush=True)')
    with pytest.raises(RefusedError, match=r"Loading checkpoint.*everything else on standard error"):
        program(prompt())


def test_a_program_that_is_silent_is_stopped_in_time(start: Starts) -> None:
    program = start("import time\ntime.sleep(60)", timeout_seconds=0.3, start_seconds=0.3)
    began = time.monotonic()
    with pytest.raises(ReplyError, match=r"no reply within 0.3 s; it was stopped"):
        program(prompt())
    assert time.monotonic() - began < 10


def test_the_first_reply_may_take_longer_for_it_loads_the_model(start: Starts, tmp_path: Path) -> None:
    program = start(
        "import time\n"
        "if not globals().get('loaded'):\n"
        "    time.sleep(2.5)\n"
        "    loaded = True\n"
        'print(json.dumps({"reply": "ready"}), flush=True)',
        timeout_seconds=2,
        start_seconds=30,
    )
    assert [program(prompt()).text for _ in range(2)] == ["ready", "ready"]


def test_an_unknown_program_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(RefusedError, match="no such program"):
        StandingProgram(["no-such-program-here"])


def test_closing_ends_the_program_and_nothing_is_asked_afterwards(start: Starts) -> None:
    program = start('print(json.dumps({"reply": str(os.getpid())}), flush=True)')
    pid = program(prompt()).text
    program.close()
    assert not (Path("/proc") / pid).exists()
    with pytest.raises(ReplyError):
        program(prompt())


def test_the_document_is_one_line(start: Starts) -> None:
    program = start('print(json.dumps({"reply": json.dumps(sorted(asked))}), flush=True)')
    assert json.loads(program(prompt()).text) == [
        *("earlier", "examples", "id", "instruction", "kind", "options", "pictures", "text"),
    ]
