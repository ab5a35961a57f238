"""Groups of commands whose modules are imported when a command runs, and not for a list of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import cyclopts


class Command(NamedTuple):
    """The place of a command's function or of its group (module:name), and the first sentence or two of its help."""

    place: str
    summary: str


def add_commands(group: cyclopts.App, commands: Mapping[str, Command], given: Sequence[str]) -> None:
    """Add commands to a group, and to those that it has, for a command line.

    If no word of the line is a command, help lists them with their summaries and imports none. A summary would replace
    the longer help of a command's own, so a command that is given is added without.
    """
    groups = {name for name in group if not name.startswith("-")}
    is_list = set(given).isdisjoint(groups | commands.keys())
    for name, command in commands.items():
        group.command(command.place, name=name, help=command.summary if is_list else None)
    if is_list:
        group.help_format = "plaintext"  # Markdown would import a parser, and a list has none
