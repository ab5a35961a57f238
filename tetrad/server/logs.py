"""Logs: one JSON object a line on standard error. Loggers are those of the standard library, everywhere.

A line says when, what, how grave, by whom (`service`, `logger`), and for which request. Lines of requests are many, so
they are written together, a fifth of a second later at most; a line of any other kind is written at once, and those
that wait before it.
"""

import asyncio
import atexit
import json
import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import msgspec

from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.request_ids import current
from tetrad.server.settings import SettingsError

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LEVEL_NAMES = {getattr(logging, name): name.lower() for name in LEVELS}
GATHER_SECONDS = 0.2
CHATTY = ("httpx", "httpcore", "granian", "_granian", "opentelemetry")
OWN_FIELDS = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime"})
"""Attributes of each record of the standard library; any other is a field of the line."""

_encoder = msgspec.json.Encoder(enc_hook=str, decimal_format="number")


class SecondClock:
    """Writes the time as rfc3339 does. What many lines of one second share is written once."""

    def __init__(self) -> None:
        self._second = (-1, "")

    def __call__(self) -> str:
        second, milliseconds = divmod(now_ms(), 1000)
        if self._second[0] != second:
            self._second = (second, rfc3339(second * 1000)[:-4])
        return f"{self._second[1]}{milliseconds:03d}Z"


class JsonLines(logging.Handler):
    """Writes records, and lines of requests, to standard error."""

    def __init__(self, service: str, stream: TextIO | None = None) -> None:
        """Write to `stream`, or to standard error as it is then."""
        super().__init__()
        self.written = 0  # bytes
        self._service = service
        self._stream = stream
        self._waiting: list[dict[str, Any]] = []
        self._guard = threading.Lock()
        self._clock = SecondClock()
        self._root = logging.getLogger()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._write(self._line(record))
        except Exception:  # noqa: BLE001 - as every handler of the standard library
            self.handleError(record)

    def add_request(self, fields: Mapping[str, Any], level: int) -> None:
        """Write the line of a request: soon, or at once if it failed. The event loop that answered it calls this."""
        if level < self.level or level < self._root.level:
            return
        begun = {"at": self._clock(), "event": "request", "level": LEVEL_NAMES[level], "service": self._service}
        line = {**begun, **fields}
        if level >= logging.ERROR:
            self._write(encode_line(line))
            return
        with self._guard:
            self._waiting.append(line)
            is_first = len(self._waiting) == 1
        if is_first:
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self.flush)

    def flush(self) -> None:
        self._write(b"")

    def _write(self, line: bytes) -> None:
        with self._guard:
            text = encode_lines(self._waiting) + line
            self._waiting.clear()
            if text:
                self.written += len(text)
                stream = sys.stderr if self._stream is None else self._stream
                stream.write(text.decode())
                stream.flush()

    def _line(self, record: logging.LogRecord) -> bytes:
        line: dict[str, Any] = {
            "at": rfc3339(int(record.created * 1000)),
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "service": self._service,
        }
        if (asked := current.get()) is not None:
            line["request"] = asked.id
        line |= {name: value for name, value in vars(record).items() if name not in OWN_FIELDS}
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = logging.Formatter().formatException(record.exc_info)
        return encode_line(line)


def encode_line(line: Mapping[str, Any]) -> bytes:
    try:
        return _encoder.encode(line) + b"\n"
    except (UnicodeEncodeError, TypeError, OverflowError):  # half a surrogate pair, a key that is no text
        return json.dumps(line, default=str, skipkeys=True).encode() + b"\n"


def encode_lines(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """Encode many lines at once: it takes half the time."""
    try:
        return _encoder.encode_lines(lines)
    except (UnicodeEncodeError, TypeError, OverflowError):
        return b"".join(map(encode_line, lines))


def configure_logs(service: str, level: str = "INFO") -> None:
    """Send all records of this process to standard error as JSON lines.

    Raises:
        SettingsError: the level is unknown.
    """
    if level not in LEVELS:
        raise SettingsError(
            f"TETRAD_{service.upper()}_LOG_LEVEL: {level!r} is not a level; use one of {', '.join(LEVELS)}"
        )
    root = logging.getLogger()
    handler = JsonLines(service)
    root.handlers = [handler]
    root.setLevel(level)
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel("WARNING")
    atexit.register(handler.flush)


def json_lines() -> JsonLines | None:
    """Return the handler of this process; None where its logs are somebody else's, as in a test."""
    for handler in logging.getLogger().handlers:  # asked for every request: a generator would take twice the time
        if isinstance(handler, JsonLines):
            return handler
    return None
