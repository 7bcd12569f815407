"""Delivers records as rows of a table, one per record, for other programs. A later revision replaces the row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Column, DateTime, Engine, Integer, MetaData, Table, Text, create_engine, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from headwater.database_tls import tls_arguments
from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.errors import Refused, Temporary
from headwater.model.outcomes import Sent
from headwater.model.recipe import Envelope
from headwater.model.saved_search import Digest
from headwater.model.story import Story

INSERTS: Mapping[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
LONGEST_NAME = 63
ENCODER = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True)
class TableSink:
    """`database` is a SQLAlchemy URL of SQLite or PostgreSQL. The table is created when the first record arrives."""

    database: str
    table: str

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        rows = {envelope.record.id: _row(envelope) for envelope in envelopes}
        try:
            table = self._table
            insert = INSERTS[self._engine.dialect.name](table)
            newer = insert.on_conflict_do_update(
                index_elements=[table.c.id],
                set_={column.name: insert.excluded[column.name] for column in table.c if column.name != "id"},
                where=table.c.revision <= insert.excluded.revision,
            )
            with self._engine.begin() as connection:
                connection.execute(newer, list(rows.values()))
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            raise Temporary("table_unwritable", f"{self.table}: {type(cause).__name__}") from error
        return [Sent(f"{self.table}/{envelope.record.id}") for envelope in envelopes]

    @cached_property
    def _engine(self) -> Engine:
        try:
            url = make_url(self.database)
            engine = create_engine(
                url, pool_size=1, max_overflow=0, pool_pre_ping=True, connect_args=tls_arguments(url)
            )
        except (ArgumentError, ImportError) as error:
            raise Refused("bad_config", "routes.database: this is not a usable database URL") from error
        if engine.dialect.name not in INSERTS:
            raise Refused("bad_config", "routes.database: use SQLite or PostgreSQL")
        if engine.dialect.name == "sqlite" and url.database:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        return engine

    @cached_property
    def _table(self) -> Table:
        table = Table(
            self.table,
            MetaData(),
            Column("id", Text, primary_key=True),
            Column("recipe", Text, nullable=False),
            Column("revision", Integer, nullable=False),
            Column("title", Text, nullable=False),
            Column("url", Text, nullable=False),
            Column("published_at", DateTime(timezone=True)),
            Column("language", Text, nullable=False),
            Column("publisher", Text, nullable=False),
            Column("text", Text, nullable=False),
            Column("record", Text, nullable=False),
        )
        table.create(self._engine, checkfirst=True)
        return table


def check_table_name(name: str, where: str) -> None:
    """Quoting makes any name safe; this keeps names that nobody wants to type out of a database."""
    if not name.isidentifier() or len(name) > LONGEST_NAME:
        raise Refused("bad_config", f"{where}.table: '{name}' is not a table name; use letters, digits and _")


def _row(envelope: Envelope) -> dict[str, Any]:
    record = envelope.record
    row = {
        "id": record.id,
        "recipe": getattr(record, "recipe", ""),
        "revision": envelope.revision,
        "title": getattr(record, "title", ""),
        "record": _storable(ENCODER.encode(record).decode("utf-8", "replace")),
    }
    return row | {name: _storable(value) for name, value in _kind_fields(record).items()}


def _kind_fields(record: Document | Story | Alarm | Digest) -> dict[str, Any]:
    if isinstance(record, Document):
        fields = ("url", "language", "publisher", "text")
        return {name: getattr(record, name) for name in fields} | {"published_at": record.published}
    empty = {"url": "", "language": "", "publisher": "", "text": "", "published_at": None}
    if isinstance(record, Story):
        return empty | {"text": record.summary, "published_at": record.last_at}
    return empty


def _storable(value: Any) -> Any:
    """PostgreSQL stores no NUL."""
    return value.replace("\x00", "") if isinstance(value, str) else value
