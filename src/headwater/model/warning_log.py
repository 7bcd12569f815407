"""Warnings about a document, counted by code: a feed with a thousand bad dates yields one line."""

from collections.abc import Callable

Warn = Callable[[str, str], None]
"""Takes the code of a warning and a detail."""

DETAIL_LENGTH = 120


class WarningLog:
    """Counts warnings by code and keeps the first detail of each. It is callable wherever a `Warn` is expected."""

    __slots__ = ("_counts", "_details")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._details: dict[str, str] = {}

    def __call__(self, code: str, detail: str = "") -> None:
        self.add(code, detail, 1)

    def add(self, code: str, detail: str, count: int) -> None:
        self._counts[code] = self._counts.get(code, 0) + count
        if code not in self._details:
            self._details[code] = " ".join(detail.split())[:DETAIL_LENGTH]

    def __contains__(self, code: str) -> bool:
        return code in self._counts

    def counts(self) -> tuple[tuple[str, str, int], ...]:
        """Each code with its first detail and its count."""
        return tuple((code, self._details[code], count) for code, count in self._counts.items())

    def lines(self) -> tuple[str, ...]:
        """One line per code, as `code: detail (xN)`."""
        return tuple(self._line(code, count) for code, count in self._counts.items())

    def _line(self, code: str, count: int) -> str:
        detail = self._details[code]
        line = f"{code}: {detail}" if detail else code
        return f"{line} (x{count})" if count > 1 else line


def ignore_warning(_code: str, _detail: str) -> None:
    """A `Warn` for callers that have no use for warnings."""
