"""The index for full text: made from documents, and made again where it is missing. So it is no part of the schema
that backups copy from one database to another."""

from typing import Any

from sqlalchemy import BigInteger, Column, Dialect, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.types import TypeDecorator

from headwater.store.schema.columns import UtcDateTime, key_column

search_metadata = MetaData()


class TsVector(TypeDecorator[str]):
    """PostgreSQL's own index words; SQLite keeps them in the table `search_words`."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(TSVECTOR() if dialect.name == "postgresql" else Text())


# One row for each document in the index, with the moment of the state that was indexed.
search_entries = Table(
    "search_entries",
    search_metadata,
    Column("id", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True),
    key_column("document_id", nullable=False, unique=True),
    Column("recipe", Text, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("words", TsVector),
    Index("ix_search_entries_recipe_updated", "recipe", "updated_at"),
)

# Title, description and text as words without accents; its rows have the numbers of the entries.
SEARCH_WORDS = "CREATE VIRTUAL TABLE search_words USING fts5(title, about, body, tokenize = 'unicode61 remove_diacritics 2')"
