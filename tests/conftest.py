"""Fixtures of all tests: the object bank, drawn once and kept between runs."""

import gc
import os
import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from generator_service.benchmarks.kiva.eligible import KivaBank, prepare
from generator_service.drawing.bank import ObjectBank, silent
from generator_service.drawing.parallel import ONE_THREAD_EACH
from generator_service.sources.household.building import build
from generator_service.sources.objects import HOUSEHOLD, load_bank, open_bank
from generator_service.sources.packaged import PHOTOGRAPHS
from generator_service.sources.people.bank import PEOPLE
from generator_service.sources.store import SourceMissingError, of_folder
from tetrad.prepared_structs import prepare_structs

ROOT = Path(__file__).parents[1]
# Folders of tests/integration of which all tests share what a session starts: servers, and databases to copy.
SERVERS = ("api", "gateway", "generator", "inference_gateway", "scoring", "triton")
# The groups that take longest begin first, so that none is left over at the end.
LONGEST = ("e2e instance", "e2e instance apart", "chaos instance", "integration api")
# Half of what tests of the e2e instance take. On an instance of their own, which costs 9 core seconds, another worker
# runs them meanwhile; in one group they would go on for minutes when all others had ended.
APART = {f"test_{name}.py" for name in ("bench_runs", "ci_templates", "document", "readme", "shown", "wheel")}
# Fixtures of whole instances, an environment of its own, and photographs that are mined.
SLOW_TO_START = {
    "instance": "instance",
    "source_instance": "instance",  # a test of two instances needs both
    "bare": "bare",
    "photograph_store": "photograph_store",
    "seen": "seen",  # each page, looked at: as long as all other tests in a browser
    "site": "site",
}

# Importing all tests leaves millions of objects that stay: looked through again and again, they take a third of the
# time that importing does.
gc.disable()

# Workers of pytest-xdist share the cores: threads that NumPy starts for each would wait for those of the others. They
# inherit this from the process that starts them.
os.environ |= dict.fromkeys(ONE_THREAD_EACH, "1")

# A shell without job control starts `make test &` with Ctrl-C ignored, and every process of the tests would inherit
# that: those that are to be interrupted would go on.
signal.signal(signal.SIGINT, signal.default_int_handler)

# On a loaded machine all is slow: that is no fault of an example.
settings.register_profile("loaded", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("loaded")


def pytest_collection_finish() -> None:
    prepare_structs()  # as services do, which tests run in threads
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def bank_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store that keeps our own sources: $TETRAD_SOURCES, or var/sources of this checkout.

    `make up` adds photographs there, which tests must not draw from: they get a store that leads to all the rest.
    """
    folder = Path(os.environ.get("TETRAD_SOURCES") or ROOT / "var" / "sources").absolute()
    return _without(PHOTOGRAPHS, folder, tmp_path_factory)


@pytest.fixture(scope="session")
def bank_without_people(bank_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same store without people, whom `make up` draws: a test that learns from few pictures gets tiles instead."""
    return _without(PEOPLE, bank_folder, tmp_path_factory)


def _without(kind: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store, or one that leads to all of it but the sources of this kind, where there are some."""
    if not (folder / "heads" / kind).exists():
        return folder
    rest = tmp_path_factory.mktemp("bank") / "sources"
    shutil.copytree(folder / "heads", rest / "heads", ignore=shutil.ignore_patterns(kind))
    for place in folder.iterdir():
        if place.name != "heads" and not place.name.startswith("."):
            (rest / place.name).symlink_to(place)
    return rest


@pytest.fixture(scope="session")
def builtin_bank(bank_folder: Path) -> ObjectBank:
    return load_bank(bank_folder)


@pytest.fixture(scope="session")
def kiva_bank(builtin_bank: ObjectBank) -> KivaBank:
    """The built-in bank with what each of KiVA's domains may show."""
    return prepare(builtin_bank)


@pytest.fixture(scope="session")
def household(bank_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> ObjectBank:
    """The household bank: drawn from $TETRAD_HOUSEHOLD_FROM (minutes), or the one that the cache holds."""
    given = os.environ.get("TETRAD_HOUSEHOLD_FROM")
    if given:
        drawn = of_folder(tmp_path_factory.mktemp("household"))
        build(drawn, HOUSEHOLD, Path(given), silent)
        return open_bank(drawn, HOUSEHOLD)
    try:
        return open_bank(of_folder(bank_folder), HOUSEHOLD)
    except SourceMissingError:
        pytest.skip(
            f"no household bank in {bank_folder}: set TETRAD_HOUSEHOLD_FROM to Debian's sweethome3d-furniture package, "
            "or TETRAD_SOURCES to a store that has one"
        )


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the groups in the same hook
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that share what is slow to make on one worker of pytest-xdist, so that it is made once.

    A worker gives them out in this order: the longest groups, then the others, the largest first.
    """
    for item in items:
        group = _group_of(item)
        if group and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))
    if hasattr(config, "workerinput"):
        sizes = Counter(_mark_of(item) for item in items)
        ranks = {group: rank - len(LONGEST) for rank, group in enumerate(LONGEST)}
        items.sort(key=lambda item: (ranks.get(_mark_of(item), 0), -sizes[_mark_of(item)]))


def _mark_of(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xdist_group")
    return item.nodeid if marker is None else str(marker.args[0])


def _group_of(item: pytest.Item) -> str:
    """Name what is slow to start, or what fixtures make for a whole module, with its parameters; "" for neither."""
    if item.path.parent.parent.name == "integration" and item.path.parent.name in SERVERS:
        return f"integration {item.path.parent.name}"
    for name, group in SLOW_TO_START.items():
        if name in getattr(item, "fixturenames", ()):
            return f"{item.path.parent.name} {group}{' apart' if item.path.name in APART else ''}"
    fixtures = getattr(item, "_fixtureinfo", None)
    found = {} if fixtures is None else fixtures.name2fixturedefs
    of_module = [name for name, made in found.items() if made[-1].scope == "module"]
    if not of_module:
        return ""
    indices = getattr(getattr(item, "callspec", None), "indices", {})
    parameters = [f"{name} {indices[name]}" for name in of_module if name in indices]
    return " ".join((item.nodeid.partition("::")[0], *parameters))
