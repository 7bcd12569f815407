"""Sources that are one: their addresses differ only in spelling, such as by a slash at the end."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.text.redaction import hide_secrets
from headwater.text.urls import canonical_url

SourceRow = Mapping[str, Any]


def address_spelling(url: str) -> str:
    """The same for all spellings of an address."""
    return canonical_url(url).rstrip("/")


def same_source_warnings(rows: Sequence[SourceRow]) -> list[str]:
    """A sentence for each active source that is another one under a second spelling, with the command that removes it."""
    by_address: defaultdict[tuple[str, str, str], list[SourceRow]] = defaultdict(list)
    for row in rows:
        if row["active"] and row["url"]:
            by_address[row["recipe"], row["kind"], address_spelling(row["url"])].append(row)
    return [
        _warning(kept, spare)
        for same in by_address.values()
        for kept, *others in [sorted(same, key=_precedence)]
        for spare in others
    ]


def _precedence(row: SourceRow) -> tuple[bool, bool, str]:
    """Of two spellings, the one that a list names stays, because only the list can remove it; then the one that answers."""
    return row["origin"] == "operator", bool(row["failures"]) or not row["last_polled_at"], row["url"]


def _warning(kept: SourceRow, spare: SourceRow) -> str:
    remedy = (
        f"`headwater sources remove {spare['id']}` removes the second one, and what it found stays"
        if spare["origin"] == "operator"
        else "remove one of them from the list"
    )
    return (
        f"{kept['name']} ({hide_secrets(kept['url'])}) and {spare['name']} ({hide_secrets(spare['url'])}) are the same source of "
        f"{spare['recipe']}, polled twice: {remedy}"
    )
