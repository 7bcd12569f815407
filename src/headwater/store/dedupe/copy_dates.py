"""Originals without a date, and copies that have one: such an original is refined again."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, select, update

from headwater.model.copy_dates import FROM_COPY, CopyDate, earliest_date, takes_over
from headwater.model.document import FROM_SOURCE
from headwater.model.jobs import RefineResult, State
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents, leads
from headwater.store.schema.knowledge import edges


def copy_dates(connection: Connection, ids: Collection[str]) -> Mapping[str, CopyDate]:
    """The earliest date that other leads to the same page and copies of the same text have, by original."""
    if not ids:
        return {}
    dates: defaultdict[str, list[CopyDate]] = defaultdict(list)
    links = select(edges.c.to_id).where(in_list(edges.c.to_id, ids), edges.c.relation == "duplicate")
    of_leads = links.add_columns(leads.c.published_at).join(leads, leads.c.id == edges.c.from_id)
    for row in connection.execute(of_leads.where(leads.c.published_at.is_not(None))):
        dates[row.to_id].append(CopyDate(row.published_at, FROM_SOURCE))
    of_documents = (
        links.add_columns(documents.c.published_at, documents.c.origins)
        .join(documents, documents.c.id == edges.c.from_id)
        .where(documents.c.duplicate_of == edges.c.to_id, documents.c.published_at.is_not(None))
    )
    for row in connection.execute(of_documents):
        dates[row.to_id].append(CopyDate(row.published_at, _published_origin(row.origins)))
    earliest = {document: earliest_date(of_copies) for document, of_copies in dates.items()}
    return {document: date for document, date in earliest.items() if date is not None}


def refine_with_dates(connection: Connection, ids: Collection[str], now: datetime) -> None:
    """Makes documents due that would take over the date of a copy. One that a worker holds is checked when it is done.

    The rows are locked first: a copy and its original may be decided at the same time, and the later one must see the
    other."""
    columns = (documents.c.id, documents.c.published_at, documents.c.origins)
    query = select(*columns).where(
        in_list(documents.c.id, ids),
        documents.c.state.in_([State.KEPT, State.DUPLICATE]),
        documents.c.lease_owner.is_(None),
    )
    rows = connection.execute(query.order_by(documents.c.id).with_for_update()).all() if ids else []
    offered = copy_dates(connection, [row.id for row in rows])
    _make_due(
        connection,
        [row.id for row in rows if takes_over(row.published_at, _origin(row.origins), offered.get(row.id))],
        now,
    )


def check_copy_dates(connection: Connection, results: Sequence[RefineResult], now: datetime) -> None:
    """After the results were written: dates of copies that arrived while their originals were being refined, and originals of
    the copies among the results."""
    finished = {
        result.id: (result, document)
        for result in results
        if (document := result.document) is not None
        and result.later is None
        and result.state in {State.KEPT, State.DUPLICATE}
    }
    undated = [
        key
        for key, (_, document) in finished.items()
        if document.published is None or document.origins.get("published", "").startswith(FROM_COPY)
    ]
    offered = copy_dates(connection, undated)
    _make_due(
        connection,
        [
            key
            for key, date in offered.items()
            if _is_news(finished[key][0], date)
            and takes_over(finished[key][1].published, finished[key][1].origins.get("published", ""), date)
        ],
        now,
    )
    refine_with_dates(connection, originals_of_dated(results), now)


def originals_of_dated(results: Sequence[RefineResult]) -> set[str]:
    return {
        result.of
        for result in results
        if result.of is not None and result.document is not None and result.document.published is not None
    }


def _is_news(result: RefineResult, date: CopyDate) -> bool:
    """A date that was offered before and not taken, because a step removed it, is not offered again."""
    return result.copy_date is None or date.published < result.copy_date


def _make_due(connection: Connection, ids: Sequence[str], now: datetime) -> None:
    if ids:
        values = {"due_at": now, "attempts": 0}
        connection.execute(update(documents).where(in_list(documents.c.id, ids)).values(**values))


def _published_origin(origins: Mapping[str, str] | None) -> str:
    return _origin(origins).removeprefix(FROM_COPY)


def _origin(origins: Mapping[str, str] | None) -> str:
    return (origins or {}).get("published", "")
