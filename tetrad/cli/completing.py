"""`tetrad completion`: the script that completes commands and options in a shell.

It stands alone because it looks at all commands, which no other command does.
"""

import sys
from typing import Literal

import cyclopts

from tetrad.cli.main import make_app

Shell = Literal["bash", "zsh", "fish"]


def completion(shell: Shell) -> None:
    """Print the script that completes `tetrad` in a shell.

    In bash: eval "$(tetrad completion bash)", or once: tetrad completion bash >> ~/.bashrc. In zsh, write it to a file
    named _tetrad in a folder of $fpath. In fish: tetrad completion fish > ~/.config/fish/completions/tetrad.fish

    Args:
        shell: bash, zsh or fish.
    """
    app = make_app(["completion"])
    import_commands(app)
    sys.stdout.write(app.generate_completion(prog_name="tetrad", shell=shell))


def import_commands(group: cyclopts.App) -> None:
    """Import every command of a group and of its subgroups."""
    for command in [group[name] for name in group if not name.startswith("-")]:
        import_commands(command)
