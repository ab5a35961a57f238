"""Prometheus's own programs, from Debian's package, which is fetched once and unpacked into var/."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

KEPT = Path(__file__).parents[1] / "var" / "prometheus"
FETCH_SECONDS = 120
NOT_RUN = (
    "*** NOT RUN: Prometheus is not here and apt can't fetch it, so no alert is tested: apt-get install prometheus"
)


def find_program(name: str) -> str | None:
    """Return the path of `prometheus` or `promtool`; None where it can't be had."""
    if (installed := shutil.which(name)) is not None:
        return installed
    program = KEPT / "usr" / "bin" / name
    if not program.exists():
        _fetch()
    return str(program) if program.exists() else None


def _fetch() -> None:
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return
    KEPT.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=KEPT.parent) as folder:
        got = subprocess.run(
            ["apt-get", "download", "prometheus"],
            cwd=folder,
            capture_output=True,
            timeout=FETCH_SECONDS,
            check=False,
        )
        packages = list(Path(folder).glob("prometheus_*.deb"))
        if got.returncode == 0 and packages:
            unpacked = Path(folder) / "unpacked"
            subprocess.run(["dpkg", "-x", str(packages[0]), str(unpacked)], check=True, capture_output=True)
            shutil.rmtree(KEPT, ignore_errors=True)
            unpacked.rename(KEPT)
