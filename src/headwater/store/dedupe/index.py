"""The dedupe index: fingerprints, LSH bands and sentence counts, by which later copies are recognised.

A step reads the index without a lock and commits later. If another worker added something similar in between, the
epochs show it, and the document is decided again.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from msgspec import json
from sqlalchemy import Connection, Dialect, Select, case, literal_column, select, text, update

from headwater.model.document import DedupeRecord, FingerprintLookup
from headwater.model.keys import key, key_number
from headwater.store.bulk import (
    PreparedStatement,
    RecordsetStatement,
    insert_into,
    insert_rows,
    insert_values,
    prepare_recordset,
    prepare_statement,
)
from headwater.store.dedupe.fingerprints import index_value, match_fingerprints, owners_by_value
from headwater.store.in_list import bigint_array, in_named_list
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import dedupe_bands, dedupe_epochs, fingerprints, sentence_counts

NUMBERS_AT_ONCE = 5_000  # looked up with one statement
COUNTED = ("space", "sentence", "publisher", "stories", "story")
CountedUse = tuple[int, int, int, int, int]
"""The values of these columns."""
DedupeRecords = Sequence[tuple[str, DedupeRecord]]

# Plain SQL: building one query per key costs many times what the database does.
LATEST_ON_SQLITE = text(
    """SELECT asked.value AS band, (
        SELECT json_group_array(document) FROM (
            SELECT document FROM dedupe_bands WHERE space = :space AND band = asked.value
            ORDER BY epoch DESC, document DESC LIMIT :most
        )
    ) AS latest FROM json_each(:keys) AS asked
    WHERE EXISTS (SELECT 1 FROM dedupe_bands WHERE space = :space AND band = asked.value)"""
)
LATEST_ON_POSTGRESQL = text(
    """SELECT asked.band AS band, ARRAY(
        SELECT document FROM dedupe_bands WHERE space = :space AND band = asked.band
        ORDER BY epoch DESC, document DESC LIMIT :most
    ) AS latest FROM unnest(CAST(:keys AS bigint[])) AS asked(band)
    WHERE EXISTS (SELECT 1 FROM dedupe_bands WHERE space = :space AND band = asked.band)"""
)
COUNTS_ON_SQLITE = text(
    """SELECT counted.sentence AS sentence, counted.publisher AS publisher, counted.stories AS stories
    FROM json_each(:asked) AS publishers
    CROSS JOIN json_each(publishers.value) AS asked
    CROSS JOIN sentence_counts AS counted
    WHERE counted.space = :space AND counted.sentence = asked.value
        AND counted.publisher = CAST(publishers.key AS INTEGER)"""
)
COUNTS_ON_POSTGRESQL = text(
    """SELECT counted.sentence AS sentence, counted.publisher AS publisher, counted.stories AS stories
    FROM unnest(CAST(:publishers AS bigint[]), CAST(:sentences AS bigint[])) AS asked(publisher, sentence)
    JOIN sentence_counts AS counted
        ON counted.space = :space AND counted.sentence = asked.sentence AND counted.publisher = asked.publisher"""
)


def dedupe_space(recipe: str, scheme: str) -> int:
    return key_number(key("space", recipe, scheme))


def recall(
    connection: Connection,
    recipe: str,
    scheme: str,
    fingerprints: Sequence[tuple[str, str]],
    keys: Sequence[int],
    *,
    limit: int,
) -> FingerprintLookup:
    space = dedupe_space(recipe, scheme)
    epoch = connection.scalar(select(dedupe_epochs.c.value).where(dedupe_epochs.c.space == space)) or 0
    owners = owners_by_value(connection, recipe, fingerprints)
    numbers = _latest_documents(connection, space, list(dict.fromkeys(keys)), limit)
    ids_by_number = _document_ids(
        connection, {number for band_documents in numbers.values() for number in band_documents}
    )
    holders = {
        band: list(
            dict.fromkeys(ids_by_number[number] for number in band_documents if number in ids_by_number)
        )
        for band, band_documents in numbers.items()
    }
    return FingerprintLookup(epoch, owners, holders)


def _latest_documents(
    connection: Connection, space: int, keys: Sequence[int], limit: int
) -> Mapping[int, list[int]]:
    """The primary key has this order, so a band shared by thousands costs no more than a rare one. Most bands have no
    document: they are left out by the database."""
    if not keys:
        return {}
    sqlite = connection.dialect.name == "sqlite"
    parameters = {
        "space": space,
        "most": limit,
        "keys": json.encode(keys).decode() if sqlite else bigint_array(keys),
    }
    rows = connection.execute(LATEST_ON_SQLITE if sqlite else LATEST_ON_POSTGRESQL, parameters).all()
    return {band: json.decode(latest) if sqlite else latest for band, latest in rows}


def _document_ids(connection: Connection, numbers: set[int]) -> Mapping[int, str]:
    ids_by_number: dict[int, str] = {}
    remaining = iter(numbers)
    while batch := list(islice(remaining, NUMBERS_AT_ONCE)):
        rows = connection.execute(_documents_of_numbers(), {"numbers": batch})
        ids_by_number.update((row.number, row.id) for row in rows)
    return ids_by_number


@cache
def _documents_of_numbers() -> Select[Any]:
    """With the numbers as one parameter: with one for each, every batch is another statement, which the database prepares anew."""
    of_numbers = in_named_list(documents.c.number, "numbers", numbers=True)
    return select(documents.c.number, documents.c.id).where(of_numbers)


def originals(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    query = select(documents.c.id, documents.c.duplicate_of).where(
        documents.c.id.in_(ids), documents.c.duplicate_of.is_not(None)
    )
    return {row.id: row.duplicate_of for row in connection.execute(query)} if ids else {}


def stories(
    connection: Connection, recipe: str, sentences: Mapping[str, Collection[int]]
) -> dict[str, dict[int, int]]:
    """One query for all publishers of a batch, and none for a sentence that another of them has."""
    counts: dict[str, dict[int, int]] = {name: {} for name in sentences}
    by_publisher = {
        _publisher_number(name): sorted(numbers) for name, numbers in sentences.items() if numbers
    }
    if not by_publisher:
        return counts
    names = {_publisher_number(name): name for name in sentences}
    space = dedupe_space(recipe, "")
    if connection.dialect.name == "sqlite":
        query, values = COUNTS_ON_SQLITE, {"asked": json.encode(by_publisher).decode()}
    else:
        pairs = [(publisher, sentence) for publisher, numbers in by_publisher.items() for sentence in numbers]
        query = COUNTS_ON_POSTGRESQL
        values = dict(
            zip(("publishers", "sentences"), map(bigint_array, zip(*pairs, strict=True)), strict=True)
        )
    for sentence, publisher, used in connection.execute(query, {"space": space, **values}).all():
        counts[names[publisher]][sentence] = used
    return counts


def _publisher_number(name: str) -> int:
    return key_number(key("publisher", name))


def stale_documents(connection: Connection, recipe: str, records: DedupeRecords) -> set[str]:
    """Documents for which the index changed since it was read, and those taken for copies of them, whose original may
    turn out to be a copy. Locks the epoch until the commit, so that two transactions cannot both be first."""
    stale_ids: set[str] = set()
    for scheme in sorted({record.scheme for _, record in records}):
        of_scheme = [(document, record) for document, record in records if record.scheme == scheme]
        current = _lock_epoch(connection, dedupe_space(recipe, scheme))
        stale = [(document, record) for document, record in of_scheme if record.epoch < current]
        if stale:
            stale_ids |= _changed_since(connection, recipe, scheme, stale)
    return stale_ids | {document for document, record in records if record.original in stale_ids}


def _lock_epoch(connection: Connection, space: int) -> int:
    start = insert_into(connection.dialect, dedupe_epochs).values(space=space, value=0)
    connection.execute(start.on_conflict_do_nothing())
    locked = select(dedupe_epochs.c.value).where(dedupe_epochs.c.space == space).with_for_update()
    return connection.scalar(locked) or 0


def _changed_since(connection: Connection, recipe: str, scheme: str, stale: DedupeRecords) -> set[str]:
    since = min(record.epoch for _, record in stale)
    keys = {band for _, record in stale for band in record.keys}
    query = select(dedupe_bands.c.band, dedupe_bands.c.epoch).where(
        dedupe_bands.c.space == dedupe_space(recipe, scheme),
        dedupe_bands.c.band.in_(keys),
        dedupe_bands.c.epoch > since,
    )
    fresh_bands: dict[int, int] = {}
    for row in connection.execute(query):
        fresh_bands[row.band] = max(row.epoch, fresh_bands.get(row.band, 0))
    pairs = {(kind, index_value(value)) for _, record in stale for kind, value in record.fingerprints}
    marks = select(fingerprints.c.kind, fingerprints.c.value, fingerprints.c.epoch).where(
        match_fingerprints(recipe, pairs), fingerprints.c.epoch > since
    )
    fresh_marks = {(row.kind, row.value): row.epoch for row in connection.execute(marks)} if pairs else {}
    return {
        document
        for document, record in stale
        if any(fresh_bands.get(band, 0) > record.epoch for band in record.keys)
        or any(
            fresh_marks.get((kind, index_value(value)), 0) > record.epoch
            for kind, value in record.fingerprints
        )
    }


def store_dedupe_records(
    connection: Connection, recipe: str, records: DedupeRecords, first_time: set[str]
) -> None:
    """Store the records under a new epoch. Sentences are counted once per document and story. A document that was stored
    before adds only new bands."""
    for scheme in sorted({record.scheme for _, record in records}):
        of_scheme = [(document, record) for document, record in records if record.scheme == scheme]
        space = dedupe_space(recipe, scheme)
        increment = (
            update(dedupe_epochs)
            .where(dedupe_epochs.c.space == space)
            .values(value=dedupe_epochs.c.value + 1)
        )
        epoch = connection.scalar(increment.returning(dedupe_epochs.c.value))
        known_bands = _known_bands(
            connection,
            space,
            [document_trace for document_trace in of_scheme if document_trace[0] not in first_time],
        )
        rows = [
            (space, band, epoch, number)
            for document, record in of_scheme
            for number in [key_number(document)]
            for band in record.keys
            if (band, number) not in known_bands
        ]
        insert_values(connection, dedupe_bands, ("space", "band", "epoch", "document"), rows)
        _write_fingerprints(connection, recipe, of_scheme, epoch or 0)
    _count_sentences(connection, recipe, [record for document, record in records if document in first_time])


def _known_bands(connection: Connection, space: int, repeated: DedupeRecords) -> set[tuple[int, int]]:
    if not repeated:
        return set()
    query = select(dedupe_bands.c.band, dedupe_bands.c.document).where(
        dedupe_bands.c.space == space,
        dedupe_bands.c.band.in_({band for _, record in repeated for band in record.keys}),
        dedupe_bands.c.document.in_([key_number(document) for document, _ in repeated]),
    )
    return {(row.band, row.document) for row in connection.execute(query)}


def _write_fingerprints(connection: Connection, recipe: str, records: DedupeRecords, epoch: int) -> None:
    owned_values = sorted(
        {
            (kind, index_value(value), document)
            for document, record in records
            for kind, value in record.fingerprints
        }
    )
    rows = [
        {"recipe": recipe, "kind": kind, "value": value, "document_id": document, "epoch": epoch}
        for kind, value, document in owned_values
    ]
    insert_rows(connection, fingerprints, rows)


def _count_sentences(connection: Connection, recipe: str, records: Sequence[DedupeRecord]) -> None:
    space = dedupe_space(recipe, "")
    numbers = {name: _publisher_number(name) for name in {"", *(record.publisher for record in records)}}
    uses = sorted(
        (sentence, numbers[name], story)
        for record in records
        for story in [key_number(record.original)]
        for name in {record.publisher, ""}
        for sentence in record.sentences
    )
    rows = [(space, sentence, publisher, 1, story) for sentence, publisher, story in uses]
    for batch in _without_repetition(rows) if connection.dialect.name == "postgresql" else [rows]:
        if batch:
            _count_statement(connection.dialect).run_values(connection, batch)


def _without_repetition(rows: Sequence[CountedUse]) -> list[Sequence[CountedUse]]:
    """Splits sorted rows so that no part repeats a sentence: PostgreSQL changes a row only once in a statement."""
    parts: list[list[CountedUse]] = []
    repetition, last = 0, None
    for row in rows:
        repetition = repetition + 1 if row[:3] == last else 0
        last = row[:3]
        if repetition == len(parts):
            parts.append([])
        parts[repetition].append(row)
    return list(parts)


@lru_cache(maxsize=8)
def _count_statement(dialect: Dialect) -> PreparedStatement | RecordsetStatement:
    """A story counts unless it is the one that used the sentence last."""
    insert = insert_into(dialect, sentence_counts)
    other_story = case(
        (sentence_counts.c.story == insert.excluded.story, literal_column("0")), else_=literal_column("1")
    )
    changes = {"stories": sentence_counts.c.stories + other_story, "story": insert.excluded.story}
    keys = [column.name for column in sentence_counts.primary_key]
    upsert = insert.on_conflict_do_update(index_elements=keys, set_=changes)
    if dialect.name == "postgresql":
        return prepare_recordset(dialect, upsert, sentence_counts, COUNTED)
    statement = prepare_statement(dialect, upsert, COUNTED)
    assert statement.names == COUNTED
    return statement
