"""Check the requirement locks: every direct dependency pinned and hashed, no address of any index.

`python -m tests.architecture.locks` prints what is wrong and exits 1. It asks no registry.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
GROUPS = ("api", "generator", "bulk", "scoring", "gateway", "embedded", "dev")
APART = (
    *("triton", "triton-server", "small-model", "objects", "sources", "inspect", "verifiers", "lmms-eval", "otel"),
    *("prices", "sbom", "release", "browser", "chart"),
)
"""Environments of their own: they hold what they list, and not the project."""
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)")
ADDRESS = re.compile(r"^--(extra-)?index-url|^--find-links|^--trusted-host|https?://", re.MULTILINE)


def direct(group: str) -> list[Requirement]:
    """Return what the wheel and a dependency group ask for, groups within it resolved."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    own = [] if group in APART else project["project"]["dependencies"]
    return [*map(Requirement, own), *listed(project["dependency-groups"], group)]


def listed(groups: dict[str, list[str | dict[str, str]]], group: str) -> Iterator[Requirement]:
    """Yield what a dependency group lists, and what the groups that it includes list."""
    for entry in groups[group]:
        if isinstance(entry, str):
            yield Requirement(entry)
        else:
            yield from listed(groups, entry["include-group"])


def faults(group: str) -> list[str]:
    """Return what is wrong with one lock, one sentence each."""
    text = (ROOT / "requirements" / f"{group}.txt").read_text()
    blocks = re.split(r"\n(?=\S)", text.strip())
    pins = {normal(match["name"]): match["version"] for block in blocks if (match := PIN.match(block))}
    wrong = [f"{group}: {block.splitlines()[0]} has no hash" for block in blocks if "--hash=sha256:" not in block]
    if ADDRESS.search(text):
        wrong.append(f"{group}: names a package index")
    for requirement in direct(group):
        pinned = pins.get(normal(requirement.name))
        if pinned is None or not requirement.specifier.contains(pinned, prereleases=True):
            wrong.append(f"{group}: {requirement} is not met by {pinned}; run `make lock`")
    return wrong


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    wrong = [fault for group in (*GROUPS, *APART) for fault in faults(group)]
    sys.stdout.writelines(f"{fault}\n" for fault in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
