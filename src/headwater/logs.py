"""Structured logs: one line per event, for people or for machines."""

import logging
import sys
from collections.abc import Mapping
from typing import Any

import structlog
import structlog.tracebacks
from structlog.typing import EventDict, FilteringBoundLogger, WrappedLogger

from headwater.text.printable import printable_line, printable_text
from headwater.text.redaction import redact_text

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

# Without the values of local variables: settings are among them, and settings hold secrets.
TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)


def configure_logs(form: str, level: str = "info") -> FilteringBoundLogger:
    """Sets up logging for this process, to standard error: standard output is for data."""
    render: structlog.typing.Processor
    if form == "json":
        render = structlog.processors.JSONRenderer()
    else:
        render = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            TRACEBACKS if form == "json" else structlog.processors.format_exc_info,
            redact_values,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        # Writes a line with its end at once: several processes share the stream.
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logger: FilteringBoundLogger = structlog.get_logger()
    return logger


def redact_values(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """A structlog processor that hides the secrets of every URL in an event, and the control characters of every value."""
    del logger, method
    return {name: _redact(value, multiline=name == "exception") for name, value in event.items()}


def _redact(value: Any, *, multiline: bool = False) -> Any:
    if isinstance(value, str):
        return redact_text(printable_text(value) if multiline else printable_line(value))
    if isinstance(value, Mapping):
        return {name: _redact(part) for name, part in value.items()}
    return [_redact(part) for part in value] if isinstance(value, list | tuple) else value
