"""What a store of objects says when it cannot, in our own words: without its debugging notes and without anybody's key."""

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
    """A bucket that is missing, unlike an object that is missing in it, says nothing about what was put there."""
    return NO_BUCKET in str(error)


@contextmanager
def translate_errors(place: str, *, bucket: bool) -> Iterator[None]:
    """Whatever goes wrong with the place is "later": nobody's record is to blame, and nothing is given up for it."""
    try:
        yield
    except (BaseError, OSError) as error:
        raise (_of_bucket(place, error) if bucket else _of_folder(error)) from error


def _of_folder(error: Exception) -> Temporary:
    if DISK_FULL in str(error).lower():
        return Temporary("disk_full", "the archive has no space left")
    return Temporary("archive_unavailable", _first_line(error))


def _of_bucket(place: str, error: Exception) -> Temporary:
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
