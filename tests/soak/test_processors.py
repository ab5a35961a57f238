"""People and things have the same digest on processors with other instructions: a few are drawn as each would.

NumPy and OpenBLAS choose their code when they start. Variables of theirs keep them from using what this processor has.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.people.building import MESH, PICTURES, packages

DRAWING = """
import hashlib, sys
from pathlib import Path
import numpy as np
from generator_service.sources.people.building import Extent, build_people
from generator_service.sources.store import of_folder
head = build_people(of_folder(Path(sys.argv[1])), Path(sys.argv[2]), lambda *_counts: None, extent=Extent(2, 10))
rng = np.random.default_rng(0)
print(head.digest, hashlib.sha256((rng.random((200, 300)) @ rng.random((300, 100))).tobytes()).hexdigest())
"""
PROCESSORS = {
    "as it is": {},
    "no AVX-512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Haswell"},
    "no AVX": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Nehalem"},
}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two packages, fetched once."""
    folder = tmp_path_factory.mktemp("packages")
    try:
        with packages(None) as found:
            for package in (found.mesh, found.pictures):
                (folder / package.name).write_bytes(package.read_bytes())
    except PackageUnavailable as error:
        pytest.skip(f"{MESH.name} and {PICTURES.name} can't be had: {error}")
    return folder


def test_a_few_people_and_all_things_have_one_digest_whatever_the_processor_can_do(given: Path, tmp_path: Path) -> None:
    drawn = []
    for name, variables in PROCESSORS.items():
        command = [sys.executable, "-c", DRAWING, str(tmp_path / name), str(given)]
        done = subprocess.run(
            command, env=os.environ | variables, capture_output=True, text=True, check=True, timeout=600
        )
        drawn.append(done.stdout.split())
    digests, products = zip(*drawn, strict=True)
    assert len(set(products)) > 1, "a product of matrices was the same each time: nothing was compared"
    assert len(set(digests)) == 1
