"""Programs that answer: run once for each question, or kept alive with one line of JSON in and one out.

docs/api.md says what a program reads and prints.
"""

import queue
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock, Thread
from typing import IO, Any, Self

import msgspec

from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Option, Question, SolvedExample
from tetrad.runner.ports import ModelReply, Prompt, RefusedError, ReplyError, TokenUsage

SHOWN = 500  # characters of the end of a program's standard error in a message
LONGEST_LINE = 4 * 2**20  # bytes of a reply's line
END_SECONDS = 5.0  # that a program has for ending once its input is closed


class CommandTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the service asks it, and its pictures as PNG files by name.

    Options are as over HTTP: text and picture are null where an option has none. Pictures of solved examples come last.
    Files are gone once the program ends.
    """

    id: str
    kind: str
    text: str
    instruction: str
    options: list[Option]
    examples: list[SolvedExample]
    pictures: list[dict[str, str]]


class AnsweredTurn(CommandTurn, frozen=True, kw_only=True):
    """An earlier question with what was sealed for it: the option (`answer`) or the whole reply; the other is null."""

    answer: str | None
    response: str | None


class CommandQuestion(CommandTurn, frozen=True, kw_only=True):
    """The document that the program reads: the question, and the earlier turns of its conversation in order.

    `earlier` is empty where questions have fresh contexts. A picture has the same name and file in every turn.
    """

    earlier: list[AnsweredTurn]


def command_responder(argv: Sequence[str], *, timeout_seconds: float = 120.0) -> Callable[[Prompt], str]:
    """Run the program once for each question; what it prints is the reply.

    Raises:
        RefusedError: there is no such program.
    """
    program = _find_program(argv)

    def respond(prompt: Prompt) -> str:
        with TemporaryDirectory(prefix="tetrad-") as folder:
            files = _write_pictures(prompt.pictures, Path(folder))
            return _run([program, *argv[1:]], msgspec.json.encode(_document(prompt, files)), timeout_seconds)

    return respond


def _write_pictures(pictures: Mapping[str, bytes], folder: Path) -> dict[str, str]:
    """Write each picture under its position: names come from outside and could be paths."""
    files = {name: folder / f"{position}.png" for position, name in enumerate(pictures, start=1)}
    for name, file in files.items():
        file.write_bytes(pictures[name])
    return {name: str(file) for name, file in files.items()}


def _document(prompt: Prompt, files: Mapping[str, str]) -> CommandQuestion:
    earlier = [
        AnsweredTurn(**_fields(turn.question, files), answer=turn.answer, response=turn.response)
        for turn in prompt.earlier
    ]
    return CommandQuestion(**_fields(prompt.question, files), earlier=earlier)


def _fields(question: Question, files: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a CommandTurn."""
    captions = {picture.name: picture.caption for picture in question.pictures}
    captions = {option.picture: "" for option in question.options if option.picture is not None} | captions
    return {
        "id": question.id,
        "kind": question.kind,
        "text": question.text,
        "instruction": question.instruction,
        "options": list(question.options),
        "examples": list(question.examples),
        "pictures": [
            {"name": name, "caption": captions[name], "path": path} for name, path in files.items() if name in captions
        ],
    }


def _run(argv: list[str], document: bytes, timeout_seconds: float) -> str:
    try:
        # The operator's own command line, run without a shell.
        ended = subprocess.run(  # noqa: S603
            argv, input=document, capture_output=True, timeout=timeout_seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ReplyError(f"command {argv[0]}: no reply within {timeout_seconds:g} s; it was stopped") from error
    except OSError as error:
        raise RefusedError(f"command {argv[0]}: can't be started ({error})") from error
    if ended.returncode != 0:
        said = ended.stderr.decode(errors="replace").strip()[-SHOWN:] or "nothing on standard error"
        raise ReplyError(f"command {argv[0]}: ended with status {ended.returncode}: {said}")
    return ended.stdout.decode(errors="replace").strip()


class _Replied(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a program that stays alive: its reply, or why there is none."""

    reply: str | None = None
    error: str | None = None
    stop: StopKind | None = None
    usage: TokenUsage | None = None


class StandingProgram:
    """A program that stays alive: it reads one JSON line for each question, and prints one for each reply.

    `processes` copies run at a time. A copy that ends, or takes too long, is started again for the next question.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        processes: int = 1,
        timeout_seconds: float = 120.0,
        start_seconds: float = 600.0,
    ) -> None:
        """Name the program; it starts with the first question.

        Args:
            argv: the program and its arguments.
            processes: copies that run at a time, each with a model of its own.
            timeout_seconds: what a reply may take.
            start_seconds: what the first reply of a copy may take, for it loads the model first.

        Raises:
            RefusedError: there is no such program.
        """
        self._argv = [_find_program(argv), *argv[1:]]
        self._timeout, self._start = timeout_seconds, max(start_seconds, timeout_seconds)
        self._idle: queue.SimpleQueue[_Copy | None] = queue.SimpleQueue()
        self._lock, self._running, self._closed = Lock(), set[_Copy](), False
        for _ in range(processes):
            self._idle.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, prompt: Prompt) -> ModelReply:
        copy = self._idle.get()
        try:
            if copy is None:
                copy = self._start_copy()
            with TemporaryDirectory(prefix="tetrad-") as folder:
                files = _write_pictures(prompt.pictures, Path(folder))
                line = copy.ask(msgspec.json.encode(_document(prompt, files)))
        except BaseException:
            if copy is not None:
                self._end_copy(copy)
            copy = None
            raise
        finally:
            self._idle.put(copy)
        return self._reply(line)

    def close(self) -> None:
        """End every copy: its input is closed, and after some seconds it is killed."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for copy in running:
            self._end_copy(copy)

    def _start_copy(self) -> "_Copy":
        with self._lock:
            if self._closed:
                raise RefusedError(f"command {self._argv[0]}: it was ended")
            copy = _Copy(self._argv, self._timeout, self._start)
            self._running.add(copy)
        return copy

    def _end_copy(self, copy: "_Copy") -> None:
        copy.end()
        with self._lock:
            self._running.discard(copy)

    def _reply(self, line: bytes) -> ModelReply:
        try:
            read = msgspec.json.decode(line, type=_Replied)
        except msgspec.DecodeError as error:
            said = line.decode(errors="replace").strip()[:SHOWN]
            raise RefusedError(
                f"command {self._argv[0]}: it printed a line that is no reply ({error}): {said!r}; print "
                '{"reply": "..."} on one line for each line read, and everything else on standard error'
            ) from error
        if read.reply is None:
            raise ReplyError(f"command {self._argv[0]}: {read.error or 'a line without reply and without error'}")
        return ModelReply(text=read.reply.strip(), stop=read.stop, usage=read.usage)


class _Copy:
    """One running copy of a program. Its standard error goes to a file that is deleted at once."""

    def __init__(self, argv: list[str], timeout: float, start: float) -> None:
        self._argv, self._timeout, self._first = argv, timeout, start
        self._errors = TemporaryFile()  # noqa: SIM115 -- open as long as the program
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        try:
            # The operator's own command line, run without a shell.
            self._process = subprocess.Popen(  # noqa: S603
                argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        except OSError as error:
            self._errors.close()
            raise RefusedError(f"command {argv[0]}: can't be started ({error})") from error
        assert self._process.stdin is not None  # noqa: S101 -- both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._input: IO[bytes] = self._process.stdin
        self._reader = Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, output: IO[bytes]) -> None:
        with output:
            while line := output.readline(LONGEST_LINE):
                self._lines.put(line)
        self._lines.put(b"")

    def ask(self, document: bytes) -> bytes:
        """Return the line that answers this one.

        Raises:
            ReplyError: none came in time, or the program ended.
        """
        seconds, self._first = (self._first, 0.0) if self._first else (self._timeout, 0.0)
        try:
            self._input.write(document + b"\n")
            self._input.flush()
            line = self._lines.get(timeout=seconds)
        except queue.Empty as error:
            raise ReplyError(f"command {self._argv[0]}: no reply within {seconds:g} s; it was stopped") from error
        except (OSError, ValueError) as error:  # ValueError: its input was closed
            raise ReplyError(f"command {self._argv[0]}: it ended: {self._describe_end()}") from error
        if not line:
            raise ReplyError(f"command {self._argv[0]}: it ended without a reply: {self._describe_end()}")
        return line

    def _describe_end(self) -> str:
        if self._errors.closed:
            return "it was told to"
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - SHOWN))
        said = self._errors.read().decode(errors="replace").strip() or "nothing on standard error"
        return f"status {self._process.poll()}: {said}"

    def end(self) -> None:
        with suppress(OSError):
            self._input.close()
        end = time.monotonic() + END_SECONDS
        while self._process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        self._process.kill()
        self._process.wait()
        self._reader.join(END_SECONDS)
        self._errors.close()


def _find_program(argv: Sequence[str]) -> str:
    program = shutil.which(argv[0]) if argv else None
    if program is None:
        raise RefusedError(f"command {' '.join(argv)!r}: no such program; give its path or a name on PATH")
    return program
