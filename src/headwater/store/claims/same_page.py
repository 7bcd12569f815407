"""The same page at other leads: its newest capture, and whether it is being fetched at this moment.

Sources of different recipes list the same pages, and so do links that lead to the same address.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Column, Connection, RowMapping, Select, bindparam, select

from headwater.model.http import Capture
from headwater.model.source import StoredLead
from headwater.store.in_list import in_named_list
from headwater.store.rows import capture_from, url_number
from headwater.store.schema.flow import captures, leads


def with_same_pages(
    connection: Connection, claimed_leads: Sequence[StoredLead], now: datetime
) -> list[StoredLead]:
    """The claimed leads, each with what other leads know about its page. Of those that were claimed together, the first
    is fetched and the others wait for it."""
    numbers = {stored.id: url_number(stored.lead.url) for stored in claimed_leads if not stored.render}
    captures_by_number = _newest_captures(connection, set(numbers.values()))
    in_flight = _numbers_in_flight(connection, {stored.id for stored in claimed_leads}, now)
    result = []
    for stored in claimed_leads:
        number = numbers.get(stored.id)
        if number is None:
            result.append(stored)
            continue
        newest = next((c for c in captures_by_number.get(number, ()) if c.lead != stored.id), None)
        if newest is None and number not in in_flight:  # as for nearly every lead
            result.append(stored)
        else:
            result.append(replace(stored, same_page=newest, is_in_flight=number in in_flight))
        in_flight.add(number)
    return result


def _numbers_in_flight(connection: Connection, claimed_ids: Collection[str], now: datetime) -> set[int]:
    """Leased rows are few, whatever the size of the table."""
    rows = connection.execute(_leased_leads(), {"now": now}).all()
    return {url_number(url) for lead, url in rows if lead not in claimed_ids}


@cache
def _leased_leads() -> Select[Any]:
    is_leased = (leads.c.lease_owner.is_not(None), leads.c.lease_until > bindparam("now"))
    return select(leads.c.id, leads.c.url).where(*is_leased, ~leads.c.render)


@cache
def _captures_at(column: Column[int | None]) -> Select[Any]:
    """The captures of pages with these addresses."""
    columns = (captures.c.id, captures.c.lead_id, captures.c.fetched_at, captures.c.policy)
    at_address = in_named_list(column, "numbers", numbers=True)
    return select(column.label("number"), *columns).where(at_address, captures.c.status == 200)


@cache
def _captures_of_ids() -> Select[Any]:
    return select(captures).where(in_named_list(captures.c.id, "ids"))


def _newest_captures(connection: Connection, numbers: Collection[int]) -> Mapping[int, list[Capture]]:
    """By address, the newest capture of each of the two leads that fetched it last. Rendered pages are left out: they
    are no answer of a server."""
    if not numbers:
        return {}
    newest: dict[int, dict[str, Any]] = {}
    for column in (captures.c.url_number, captures.c.final_url_number):
        for row in connection.execute(_captures_at(column), {"numbers": sorted(numbers)}).mappings():
            if "rendered" not in row["policy"]:
                _remember_newer(newest.setdefault(row["number"], {}), row)
    chosen = {
        number: sorted(by_lead.values(), key=lambda row: row["fetched_at"], reverse=True)[:2]
        for number, by_lead in newest.items()
    }
    ids = {row["id"] for rows in chosen.values() for row in rows}
    stored = _captures_by_id(connection, ids)
    return {number: [stored[row["id"]] for row in rows] for number, rows in chosen.items()}


def _remember_newer(by_lead: dict[str, Any], row: RowMapping) -> None:
    earlier_row = by_lead.get(row["lead_id"])
    if earlier_row is None or earlier_row["fetched_at"] < row["fetched_at"]:
        by_lead[row["lead_id"]] = row


def _captures_by_id(connection: Connection, ids: Collection[str]) -> dict[str, Capture]:
    if not ids:
        return {}
    rows = connection.execute(_captures_of_ids(), {"ids": sorted(ids)}).mappings()
    return {row["id"]: capture_from(row) for row in rows}
