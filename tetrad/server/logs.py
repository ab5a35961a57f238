"""Structured logs: one JSON object a line on standard error, request paths without their query."""

import logging
import sys
from typing import Any

import structlog

from tetrad.server.settings import SettingsError

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def configure_logs(service: str, level: str = "INFO") -> None:
    """Send structlog's and the standard library's records to standard error as JSON lines.

    Raises:
        SettingsError: the level is unknown.
    """
    if level not in LEVELS:
        raise SettingsError(
            f"TETRAD_{service.upper()}_LOG_LEVEL: {level!r} is not a level; use one of {', '.join(LEVELS)}"
        )

    def add_service(_: Any, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return {**event, "service": service}  # not a context variable: threads don't inherit those

    shared: list[structlog.typing.Processor] = [
        add_service,
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.format_exc_info,
    ]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for chatty in ("httpx", "httpcore", "granian", "_granian"):
        logging.getLogger(chatty).setLevel("WARNING")
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
