"""Memory and processor time of an instance's processes. Memory is proportional set size: shared pages count once."""

import os
import re
from collections import Counter
from pathlib import Path

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")  # a second: the step in which /proc counts processor time
_PROGRAMS = {
    "practice -m granian": "practice",  # before the generator, whose app it runs
    "generator_service.datasets": "bulk",
    "generator_service": "generator",
    "inference_gateway": "gateway",
    "api.app": "api",
    "api.evaluations": "evaluations",
    "embedded.watchdog": "watchdog",
    "scoring_service": "scoring",
    "valkey-server": "valkey",
    "supervisord": "supervisord",
    "objects/store.py": "objects",
    "/weed ": "objects",
}
_PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)
_MAPPED_PACK = re.compile(r"/packs/[0-9a-f]{2}/[0-9a-f]{64}\n(?:\w+:.*\n)*?Pss:\s+(\d+) kB")


def mebibytes_by_program(root: int, *, mapped_sources: bool = True) -> dict[str, int]:
    """Return MiB by program, over a process and all that descend from it.

    Files of sources are mapped, and the system drops their pages when others need the memory: they can be left out.
    """
    held: Counter[str] = Counter()
    for pid in _family(root):
        try:
            found = _PSS.search((PROC / str(pid) / "smaps_rollup").read_text())
            held[_program(pid)] += int(found.group(1)) if found else 0
            if not mapped_sources:
                held[_program(pid)] -= sum(map(int, _MAPPED_PACK.findall((PROC / str(pid) / "smaps").read_text())))
        except OSError:  # it ended just now
            continue
    return {name: round(size / 1024) for name, size in held.items()}


def core_seconds_by_program(root: int) -> dict[str, float]:
    """Return the processor time by program so far, over a process and all that descend from it."""
    taken: dict[str, float] = {}
    for pid in _family(root):
        try:
            fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
            name = _program(pid)
        except OSError:
            continue
        # utime, stime, and those of children that have ended (proc(5), fields 14 to 17)
        taken[name] = taken.get(name, 0.0) + sum(map(int, fields[11:15])) / TICKS
    return taken


def core_seconds_of(root: int) -> float:
    """Return the processor time so far of a process and all that descend from it; 0 where it has ended."""
    return sum(core_seconds_by_program(root).values()) if (PROC / str(root)).is_dir() else 0.0


def _program(pid: int) -> str:
    command = (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return next((name for mark, name in _PROGRAMS.items() if mark in command), "other")


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
