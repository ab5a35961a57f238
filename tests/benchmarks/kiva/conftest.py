import pytest

from generator_service.benchmarks.kiva.eligible import KivaBank
from tests.benchmarks.kiva.blocks import block_bank


@pytest.fixture(scope="session")
def blocks() -> KivaBank:
    return block_bank()
