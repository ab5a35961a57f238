"""Build a release, and upload nothing: python -m deploy.release [FOLDER], "dist" by default.

The wheel is the one that an instance of this commit serves. The sdist is hatchling's. Both are made twice, from two
exports of the commit that git has, and must be the same bytes. SHA256SUMS names their digests.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from api.client_wheel import make_wheel
from tetrad.versions import ROOT, TAG, revision_in, version_of

SUMS = "SHA256SUMS"
IMAGES = """Images of this release, by who may push them:
  COMMIT={revision} TAG={version} REGISTRY=REGISTRY/ docker buildx bake --file deploy/docker-bake.json --push"""
UNTAGGED = "{version} is no release: tag the commit (git tag {tag}VERSION) to build one"


class ReleaseError(Exception):
    """The release can't be built from here; the message says why, and what to do."""


def build_release(clone: Path, folder: Path) -> dict[str, bytes]:
    """Write wheel, sdist and SHA256SUMS of the commit that is checked out; return the files by name.

    Raises:
        ReleaseError: something is not committed, or a second build has other bytes.
    """
    if changed := _ask_git(clone, "status", "--porcelain").decode():
        raise ReleaseError(f"not everything is committed: {changed.splitlines()[0].strip()}; commit it first")
    first, second = _build(clone), _build(clone)
    if differing := [name for name, body in first.items() if second.get(name) != body]:
        raise ReleaseError(f"a second build of {differing[0]} has other bytes")
    sums = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in sorted(first.items()))
    files = {**first, SUMS: sums.encode()}
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in files.items():
        (folder / name).write_bytes(body)
    return files


def _build(clone: Path) -> Mapping[str, bytes]:
    """Return wheel and sdist of the commit, from an export of its own."""
    revision, date = revision_in(clone), _ask_git(clone, "show", "--no-patch", "--format=%ct").decode().strip()
    with tempfile.TemporaryDirectory() as temporary:
        export = Path(temporary, "export")
        with tarfile.open(fileobj=BytesIO(_ask_git(clone, "archive", "HEAD"))) as archive:
            archive.extractall(export, filter="data")
        (export / "REVISION").write_text(revision)
        wheel = make_wheel(export, version_of(revision))
        command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", temporary]
        environ = {**os.environ, "SOURCE_DATE_EPOCH": date}
        subprocess.run(command, cwd=export, env=environ, check=True, capture_output=True)  # noqa: S603 -- ours
        (sdist,) = Path(temporary).glob("*.tar.gz")
        return {wheel.name: wheel.body, sdist.name: sdist.read_bytes()}


def _ask_git(clone: Path, *question: str) -> bytes:
    git = shutil.which("git") or "git"
    return subprocess.run([git, *question], cwd=clone, check=True, capture_output=True).stdout  # noqa: S603 -- ours


def main(arguments: Sequence[str]) -> int:
    """Build, and say what there is and what is next."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    folder: Path = parser.parse_args(arguments).folder
    try:
        files = build_release(ROOT, folder)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    print(files[SUMS].decode(), end="")
    revision = revision_in(ROOT)
    next_step = IMAGES if revision.startswith(TAG) else UNTAGGED
    print(next_step.format(revision=revision, version=version_of(revision), tag=TAG))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
