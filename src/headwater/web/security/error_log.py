"""Errors of requests in our log: their type and place. Messages and tracebacks may quote the request."""

import logging
import traceback

import structlog

_log = structlog.get_logger()


def log_request_error(error: BaseException) -> None:
    frames = traceback.extract_tb(error.__traceback__)
    place = {"file": frames[-1].filename, "line": frames[-1].lineno} if frames else {}
    _log.warning("request failed", error=type(error).__name__, **place)


class RequestErrorLog(logging.Handler):
    """Logs what a library reports, without its words."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            log_request_error(record.exc_info[1])
        elif record.levelno >= logging.WARNING:
            _log.warning("request failed", error=record.levelname)


def quiet_logger(name: str) -> None:
    """From now on this logger of a library writes to our log only."""
    logger = logging.getLogger(name)
    logger.handlers, logger.propagate = [RequestErrorLog()], False
    logger.setLevel(logging.WARNING)
