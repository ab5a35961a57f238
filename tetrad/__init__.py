"""The package that a team installs: wire types, client, runner, prompts, answer extraction, solvers, command line.

The services use it too; `tetrad.server` and `tetrad.internal` are for them alone.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from tetrad.versions import find_version

if TYPE_CHECKING:
    from tetrad.client import AsyncClient, Client

    __version__: str

__all__ = ["AsyncClient", "Client", "__version__"]
if find_spec("verifiers") is not None:  # `vf-eval tetrad` finds what a package exports
    __all__ += ["AskOnce", "PracticeEnv", "PracticeTaskset"]


def __getattr__(name: str) -> object:
    """Find the version and import the clients on first use: the services need the wire types, not httpx."""
    if name == "__version__":
        return find_version()
    if name in {"AsyncClient", "Client"}:
        from tetrad import client  # noqa: PLC0415 -- see above

        return getattr(client, name)
    if name in __all__:
        from tetrad.environments import tasksets  # noqa: PLC0415 -- of an extra

        return getattr(tasksets, name)
    raise AttributeError(f"module 'tetrad' has no attribute {name!r}")
