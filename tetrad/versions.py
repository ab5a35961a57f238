"""The version of the package, and of what changes on its own beside it. `GET /v1/versions` names them all.

In a clone the package's version follows from git: it is that of the tag, else it names the commit. Changes that are not
committed don't show in it. An image has no git: its build writes the commit, or the tag, into the file REVISION. What
pip installed knows its version itself.
It stands alone because hatchling reads it before the package can be imported.
"""

import subprocess
from functools import lru_cache
from pathlib import Path

RELEASE = "0.1.0"  # this one, or the next one while there is no tag
API_VERSION = 1  # of the routes under /v1
PROTOCOL_VERSION = 1  # of how draws are sealed, asked and revealed: docs/protocol.md
LOG_VERSION = 1  # of what an entry of the public log hashes
SCORER_VERSION = 1  # increases with every change that gives any answer another score
ROOT = Path(__file__).parents[1]
TAG = "v"  # a release is the tag v0.1.0
LENGTH = 12  # digits of a commit


@lru_cache(maxsize=1)
def find_version() -> str:
    """Return the version of this package, by PEP 440."""
    if not (ROOT / "pyproject.toml").is_file():
        from importlib import metadata  # noqa: PLC0415 -- a third of the start of a command, and a clone needs none

        return metadata.version("tetrad")
    written = ROOT / "REVISION"
    return version_of(written.read_text().strip() if written.is_file() else revision_in(ROOT))


def version_of(revision: str) -> str:
    """Return the version at a tag or a commit; "" is an unknown one."""
    if revision.startswith(TAG):
        return revision.removeprefix(TAG)
    return f"{RELEASE}.dev0" + (f"+g{revision[:LENGTH]}" if revision else "")


def revision_in(clone: Path) -> str:
    """Return the tag of the commit that is checked out, else the commit; "" where the folder is no clone."""
    return _ask_git(clone, "describe", "--tags", "--exact-match", "--match", f"{TAG}[0-9]*") or _ask_git(
        clone, "rev-parse", "HEAD"
    )


def _ask_git(clone: Path, *question: str) -> str:
    command = ["git", "--git-dir", str(clone / ".git"), *question]  # a clone above this folder is another project's
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 -- git
    except (OSError, subprocess.CalledProcessError):
        return ""
