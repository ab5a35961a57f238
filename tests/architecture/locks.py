"""Check the requirement locks: every direct dependency pinned and hashed, no address of any index.

`python -m tests.architecture.locks` prints what is wrong and exits 1. It asks no registry.
"""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
EXTRAS = ("api", "generator", "scoring", "gateway", "embedded", "dev")
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)")
ADDRESS = re.compile(r"^--(extra-)?index-url|^--find-links|^--trusted-host|https?://", re.MULTILINE)


def direct(extra: str | None) -> list[Requirement]:
    """Return what an extra asks for, our own extras resolved."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    found: list[Requirement] = []
    for text in listed:
        requirement = Requirement(text)
        found += (
            [one for nested in requirement.extras for one in direct(nested)]
            if requirement.name == "tetrad"
            else [requirement]
        )
    return found


def faults(extra: str) -> list[str]:
    """Return what is wrong with one lock, one sentence each."""
    text = (ROOT / "requirements" / f"{extra}.txt").read_text()
    blocks = re.split(r"\n(?=\S)", text.strip())
    pins = {normal(match["name"]): match["version"] for block in blocks if (match := PIN.match(block))}
    wrong = [f"{extra}: {block.splitlines()[0]} has no hash" for block in blocks if "--hash=sha256:" not in block]
    if ADDRESS.search(text):
        wrong.append(f"{extra}: names a package index")
    for requirement in [*direct(None), *direct(extra)]:
        pinned = pins.get(normal(requirement.name))
        if pinned is None or not requirement.specifier.contains(pinned, prereleases=True):
            wrong.append(f"{extra}: {requirement} is not met by {pinned}; run `make lock`")
    return wrong


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    wrong = [fault for extra in EXTRAS for fault in faults(extra)]
    sys.stdout.writelines(f"{fault}\n" for fault in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
