"""Headwater: sources in; clean, deduplicated, explained documents and stories out.

`headwater.read(data, *, url=None, media_type=None)` reads one document out of bytes.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.extract.reader import read

__all__ = ["read"]


def __getattr__(name: str) -> Any:
    """Loaded when it is asked for: nothing else should wait for the readers."""
    if name == "read":
        from headwater.extract.reader import read  # noqa: PLC0415 - that is what this function is for

        return read
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
