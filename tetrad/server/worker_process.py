"""A worker begins: its settings, its logs, its traces, its numbers, and the signals that end it.

Scoring, evaluations and bulk workers are such processes. They have no HTTP server of their own.
"""

import signal
import sys
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from tetrad.server.garbage_collection import finish_loading
from tetrad.server.logs import configure_logs
from tetrad.server.metrics import Metrics
from tetrad.server.metrics_server import serve_metrics
from tetrad.server.settings import SettingsError
from tetrad.server.traces import open_traces


class WorkerSettings(Protocol):
    """Every worker has these among its settings. It shows its numbers at `metrics_address`, if that is not empty."""

    @property
    def log_level(self) -> str: ...

    @property
    def metrics_address(self) -> str: ...

    @property
    def metrics_token(self) -> str: ...


W = TypeVar("W", bound=WorkerSettings)


def begin_worker(service: str, load: Callable[[], W]) -> W:
    """Return the settings, with logs and traces open. Exits with a message when the settings are wrong."""
    try:
        settings = load()
        configure_logs(service, settings.log_level)
        open_traces(service)
    except SettingsError as error:
        sys.exit(str(error))
    return settings


def show_numbers(settings: WorkerSettings, metrics: Metrics) -> None:
    """Serve the numbers in threads of this process, where its settings name an address; then keep what is loaded.

    Raises:
        OSError: somebody else listens there.
    """
    if settings.metrics_address:
        serve_metrics(settings.metrics_address, settings.metrics_token, metrics.exposition)
    finish_loading()


def stop_on_signals() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set: what is under way is finished first."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop
