"""The full-text index. It is derived from documents and rebuilt where it is missing, so backups do not contain it."""

from typing import Any

from sqlalchemy import BigInteger, Column, Dialect, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.types import TypeDecorator

from headwater.store.schema.columns import UtcDateTime, key_column

search_metadata = MetaData()


class TsVector(TypeDecorator[str]):
    """A tsvector on PostgreSQL; SQLite has the words in the table `search_words`."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(TSVECTOR() if dialect.name == "postgresql" else Text())


# One row for each indexed document, with the `updated_at` that was indexed.
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

# Title, description and text as words without accents; rowid is the id of the entry.
SEARCH_WORDS = "CREATE VIRTUAL TABLE search_words USING fts5(title, about, body, tokenize = 'unicode61 remove_diacritics 2')"
