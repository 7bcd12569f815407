"""Translates errors of object stores into our own, without debugging output and without keys."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import BaseError, NotFoundError, PermissionDeniedError, UnauthenticatedError

from headwater.model.errors import Temporary

NOT_FOUND_ERRORS = (NotFoundError, FileNotFoundError)
DENIED_ERRORS = (PermissionDeniedError, UnauthenticatedError, PermissionError)
DISK_FULL = "no space left"
NO_BUCKET = "<Code>NoSuchBucket</Code>"
NO_SUCH_RANGE = "InvalidRange"
DENIED = re.compile(r"status code: 40[13] ")


def is_missing_bucket(error: Exception) -> bool:
    """If the bucket is missing, nothing is known about the objects that were put into it."""
    return NO_BUCKET in str(error)


@contextmanager
def translate_errors(place: str, *, bucket: bool) -> Iterator[None]:
    """Every error of the store is temporary: the record is not to blame and must not be given up."""
    try:
        yield
    except (BaseError, OSError) as error:
        raise (_bucket_error(place, error) if bucket else _folder_error(error)) from error


def _folder_error(error: Exception) -> Temporary:
    if DISK_FULL in str(error).lower():
        return Temporary("disk_full", "the archive has no space left")
    return Temporary("archive_unavailable", _first_line(error))


def _bucket_error(place: str, error: Exception) -> Temporary:
    if is_missing_bucket(error):
        return Temporary(
            "archive_no_bucket",
            f"there is no bucket for {place}: make it, or name another one in the setting `archive`",
        )
    if isinstance(error, DENIED_ERRORS) or DENIED.search(str(error)):
        return Temporary(
            "archive_denied",
            f"{place} refuses this key: check `key` and `secret` of the setting `archive`, and what the key may do",
        )
    return Temporary("archive_unavailable", f"{place}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
