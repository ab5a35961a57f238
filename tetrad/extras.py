"""Say how an extra of the package is installed. It stands alone because solvers, runner and command line say it."""


def how_to_install(extra: str) -> str:
    """Return the command, for a message. `tetrad versions` shows it with the address of the service's own wheel."""
    return (
        f'pip install "tetrad[{extra}] @ ADDRESS#sha256=DIGEST", as `tetrad versions --extra {extra}` shows it, '
        f"or '.[{extra}]' in a clone"
    )
