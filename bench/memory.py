"""What the processes of an instance hold: proportional set size, so that shared pages count once."""

import re
from collections import Counter
from pathlib import Path

PROC = Path("/proc")
_PROGRAMS = ("generator_service", "inference_gateway", "api.app", "scoring_service", "valkey-server", "supervisord")
_PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def mebibytes_by_program(root: int) -> dict[str, int]:
    """Return MiB by program, over a process and all that descend from it."""
    held: Counter[str] = Counter()
    for pid in _family(root):
        try:
            command = (PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace")
            found = _PSS.search((PROC / str(pid) / "smaps_rollup").read_text())
        except OSError:  # it ended just now
            continue
        name = next((program for program in _PROGRAMS if program in command), "other")
        held[name.removesuffix(".app")] += int(found.group(1)) if found else 0
    return {name: round(size / 1024) for name, size in held.items()}


def _family(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found
