"""Object banks of an operator's own pictures, in an embedded instance's home."""

from pathlib import Path

import msgspec

from tetrad.cli.modules import run_module
from tetrad.cli.output import print_json, say
from tetrad.server.embedded.data_directory import Home

BANKS = "generator_service.banks"


class MountedBank(msgspec.Struct, frozen=True, kw_only=True):
    """A bank as the generator's module tells of it."""

    name: str
    digest: str
    objects: int
    kinds: int
    credits: list[str] = []
    left_out: list[str] = []


def add_bank(home: Home, path: Path, *, name: str | None, partial: bool, json: bool) -> None:
    """Mount pictures as a bank and say what it is; `partial` leaves out those that are refused.

    Raises:
        EmbeddedError: pictures are refused; each stands on standard error, the first hundred of them.
    """
    arguments = ["add", str(home.bank), str(path.resolve()), "--name", name or _name_of(path)]
    bank = msgspec.convert(run_module(BANKS, arguments + ["--leave-out-refused"] * partial), type=MountedBank)
    if json:
        print_json(bank)
        return
    say(*bank.left_out)
    say(
        f"Bank {bank.name}: {bank.objects} objects of {bank.kinds} kinds, digest {bank.digest}",
        f"Serve it: TETRAD_BANK={bank.name} make up",
    )


def mounted_banks(home: Home) -> list[MountedBank]:
    return msgspec.convert(run_module(BANKS, ["list", str(home.bank)]), type=list[MountedBank])


def remove_bank(home: Home, name: str, record: list[str]) -> None:
    """Take a bank away; refused while open draws of the generator's record need it."""
    run_module(BANKS, ["remove", str(home.bank), name, *record])


def _name_of(path: Path) -> str:
    """Make a bank's name out of a path's: lowercase letters, digits and dashes, a letter first."""
    words = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in path.name.lower())
    return "-".join(word for word in words.split("-") if word).lstrip("0123456789-")[:32] or "objects"
