"""Banks from the command line: `python -m generator_service.banks COMMAND FOLDER ...`, what `tetrad` calls.

Answers stand on standard output as one JSON document; progress and what people should know on standard error.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

import msgspec

from generator_service.banks.commands import Refused, add, build, listed, prepare, remove

COMMANDS: dict[str, Callable[[Namespace], object]] = {
    "prepare": lambda chosen: prepare(chosen.folder, chosen.wanted, chosen.source),
    "build": lambda chosen: build(chosen.folder, chosen.name, chosen.source),
    "add": lambda chosen: add(chosen.folder, chosen.path, chosen.name, leave_out=chosen.leave_out_refused),
    "list": lambda chosen: listed(chosen.folder),
    "remove": lambda chosen: remove(chosen.folder, chosen.name, chosen.record),
}


def main(arguments: list[str]) -> int:
    """Run one command: 0 done, 1 refused with the reasons on standard error, 2 no such command."""
    chosen = _parser().parse_args(arguments)
    try:
        answer = COMMANDS[chosen.command](chosen)
    except Refused as error:
        sys.stderr.write("".join(f"{line}\n" for line in error.lines))
        return 1
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m generator_service.banks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, purpose in (
        ("prepare", "make sure that there is a bank to serve: the one wanted, or household, or the built-in one"),
        ("build", "draw one of our own banks anew"),
        ("add", "mount a folder or archive of pictures"),
        ("list", "say which banks there are"),
        ("remove", "take a mounted bank away"),
    ):
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name == "build":
            command.add_argument("name", help="builtin, household or household-by (with the CC BY models)")
        command.add_argument("folder", type=Path, help="where the banks are kept")
        if name == "prepare":
            command.add_argument("--wanted", default="", help="the bank's name")
        if name in {"prepare", "build"}:
            command.add_argument("--source", type=Path, help="a .deb, a .sh3f or a folder of them, instead of apt")
        if name == "add":
            command.add_argument("path", type=Path, help="the pictures")
            command.add_argument("--name", required=True, help="what to call the bank")
            command.add_argument(
                "--leave-out-refused", action="store_true", help="mount the rest where some are refused"
            )
        if name == "remove":
            command.add_argument("name", help="the bank's name")
            command.add_argument("--record", help="URL of the generator's database: open draws keep their bank")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
