"""`tetrad completion`: the script that completes commands and options in a shell.

It stands alone because it looks at all commands, which no other command does.
"""

import sys
from typing import Literal

from tetrad.cli.main import app, import_commands

Shell = Literal["bash", "zsh", "fish"]


def completion(shell: Shell) -> None:
    """Print the script that completes `tetrad` in a shell.

    In bash: eval "$(tetrad completion bash)", or once: tetrad completion bash >> ~/.bashrc. In zsh, write it to a file
    named _tetrad in a folder of $fpath. In fish: tetrad completion fish > ~/.config/fish/completions/tetrad.fish

    Args:
        shell: bash, zsh or fish.
    """
    import_commands(app)
    sys.stdout.write(app.generate_completion(prog_name="tetrad", shell=shell))
