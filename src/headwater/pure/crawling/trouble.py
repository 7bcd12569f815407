"""Failures that say something about the whole host: asking it for more is no use now."""

from headwater.model.errors import HeadwaterError, Temporary

IN_A_ROW = 3  # so many of them end a look; what it found stays, the rest waits for the next one
HOST_REASONS = frozenset({"dns", "http_429", "http_503", "refused", "reset", "timeout", "tls"})


def about_host(error: HeadwaterError) -> bool:
    if isinstance(error, Temporary) and (not error.counts or error.reason == "robots"):
        return True
    return error.reason in HOST_REASONS
