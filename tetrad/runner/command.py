"""Any program as a model: one JSON document on its standard input, the reply on its standard output."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tetrad.contracts.items import Question, SolvedExample
from tetrad.runner.ports import Prompt, RefusedError, ReplyError, Responder

SHOWN = 500  # characters of standard error in a message: its end, where programs say what went wrong


class CommandTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the service asks it, and its pictures as PNG files by name.

    An option is its label with a text, the name of a picture, or neither. Pictures of solved examples come last.
    Files are gone once the program ends.
    """

    id: str
    kind: str
    text: str
    instruction: str
    options: list[dict[str, str]]
    examples: list[SolvedExample]
    pictures: list[dict[str, str]]


class AnsweredTurn(CommandTurn, frozen=True, kw_only=True):
    """An earlier question with what was sealed for it: the option (`answer`) or the whole reply; the other is null."""

    answer: str | None
    response: str | None


class CommandQuestion(CommandTurn, frozen=True, kw_only=True):
    """What the program reads: the question, and the earlier turns of its conversation in order.

    `earlier` is empty where questions have fresh contexts. A picture has the same name and file in every turn.
    """

    earlier: list[AnsweredTurn]


def command_responder(argv: Sequence[str], *, timeout_seconds: float = 120.0) -> Responder:
    """Run the program once for each question; what it prints is the reply.

    Raises:
        RefusedError: there is no such program.
    """
    program = shutil.which(argv[0]) if argv else None
    if program is None:
        raise RefusedError(f"command {' '.join(argv)!r}: no such program; give its path or a name on PATH")

    def respond(prompt: Prompt) -> str:
        with TemporaryDirectory(prefix="tetrad-") as folder:
            files = _written(prompt.pictures, Path(folder))
            return _run([program, *argv[1:]], msgspec.json.encode(_document(prompt, files)), timeout_seconds)

    return respond


def _written(pictures: Mapping[str, bytes], folder: Path) -> dict[str, str]:
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
        "options": [
            {"label": option.label}
            | ({} if option.text is None else {"text": option.text})
            | ({} if option.picture is None else {"picture": option.picture})
            for option in question.options
        ],
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
