"""The encoders of search: which vectors documents get, and which vectors of a query are compared with them.

English documents have a vector of the English encoder, which is better for them; all documents have one of the multilingual
encoder, so that a query in one language finds documents in another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy import Engine, and_, exists, func, or_, select

from headwater.documents.embedding.build import BUILTIN_ENCODERS
from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.documents.embedding.language_tables import load_language_tables
from headwater.documents.language.codes import UNDETERMINED, primary_code
from headwater.documents.language.detect_language import rank_languages
from headwater.documents.language.detector import LanguageRules, identify_language
from headwater.search.fusion import ENGLISH, MULTILINGUAL, UNKNOWN_ENCODER, EncoderWeights, PairWeights
from headwater.search.vector_codes import store_vectors
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents
from headwater.store.schema.search import search_entries, search_vectors
from headwater.store.search.candidates import VectorQuery

PASSAGE_CHARACTERS = 2_000
AT_ONCE = 32
LATE_ENTRIES = 10_000
"""Numbers are given before a transaction ends, so the last ones are looked at again."""


@dataclass(frozen=True, slots=True)
class SearchEncoder:
    """An encoder by the name of its files, what its vectors count, whether it reads only English documents, and whether it has
    the tables of languages."""

    files: str
    weights: EncoderWeights
    english_only: bool = False
    has_tables: bool = False

    def weights_for(self, query: str, document: str) -> PairWeights:
        """With tables, weighted by how well they know the languages."""
        weights = self.weights
        if self.has_tables:
            weights = replace(weights, quality=load_language_tables().quality)
        return weights.weights(query, document)


BUILT_IN = (
    SearchEncoder("english", ENGLISH, english_only=True),
    SearchEncoder("multilingual", MULTILINGUAL, has_tables=True),
)


@cache
def open_search_encoder(folder: Path, files: str) -> Encoder:
    """Cached, because opening an encoder takes longer than a search."""
    return open_encoder(folder, files)


def vector_name(folder: Path, files: str) -> str:
    """The name under which vectors are stored: those of whole passages are not those by which stories are clustered. A
    built-in encoder need not be opened for it."""
    builtin = BUILTIN_ENCODERS.get(files)
    return f"{builtin.name if builtin else open_search_encoder(folder, files).name}/passage"


@dataclass(frozen=True, slots=True)
class SearchEncoders:
    """The encoders of an installation: the built-in ones, or the one that its settings name."""

    folder: Path
    model: str = ""

    @property
    def listed(self) -> Sequence[SearchEncoder]:
        chosen = tuple(listed for listed in BUILT_IN if self.model in ("", listed.files))
        return chosen or (SearchEncoder(self.model, UNKNOWN_ENCODER),)

    def query_vectors(
        self, text: str, language: str, models: Sequence[str], languages: Sequence[str]
    ) -> list[VectorQuery]:
        """The vectors of a query in this language, by the encoders that count for one of the `languages` of the index and of which
        there are vectors. For each of them the first encoder that counts is the only one."""
        vectors: list[VectorQuery] = []
        remaining = set(languages)
        for listed in self.listed:
            weights = {name: listed.weights_for(language, name) for name in remaining}
            remaining = {name for name, (_, vector) in weights.items() if not vector}
            if len(remaining) == len(weights):
                continue
            model = vector_name(self.folder, listed.files)
            if model in models:
                encoder = open_search_encoder(self.folder, listed.files)
                vector = encoder([text], [language] if language else None)[0]
                floors = {name: listed.weights.floor(language, name) for name in weights}
                vectors.append(VectorQuery(model, vector, weights, listed.weights.feedback, floors, language))
        return vectors


def query_language(text: str, languages: Sequence[str]) -> str:
    """The language of a query; empty where it is too short to tell. The languages of the index are the likely ones."""
    codes = tuple(dict.fromkeys(code for name in languages if (code := primary_code(name))))
    guess = identify_language(
        text, rank_languages, LanguageRules(languages=codes, min_letters=4, min_confidence=0.5)
    )
    return "" if guess.language == UNDETERMINED else guess.language


def passage(title: str, text: str) -> str:
    """What an encoder reads of a document."""
    return f"{title}\n{text[:PASSAGE_CHARACTERS]}".strip()


def add_vectors(
    engine: Engine, encoders: SearchEncoders, *, seconds: float | None = None, whole: bool = True
) -> int:
    """Give documents the vectors that they lack; returns how many. Stops after `seconds`; the next call continues. Without
    `whole`, only recent documents are looked at."""
    end = None if seconds is None else monotonic() + seconds
    count = 0
    for listed in encoders.listed:
        model = vector_name(encoders.folder, listed.files)
        first = 0 if whole else _last_number(engine, model) - LATE_ENTRIES
        while end is None or monotonic() < end:
            rows = _entries_without(engine, model, first, english_only=listed.english_only)
            if not rows:
                break
            first = rows[-1].id
            encoder = open_search_encoder(encoders.folder, listed.files)
            texts = [passage(row.title, row.text) for row in rows]
            encoded = encoder(texts, [row.language for row in rows])
            with write_transaction(engine) as connection:
                stored = store_vectors(encoded)
                values = [
                    {"model": model, "entry_id": row.id, "vector": vector}
                    for row, vector in zip(rows, stored, strict=True)
                ]
                insert_rows(connection, search_vectors, values)
            count += len(rows)
    return count


def _last_number(engine: Engine, model: str) -> int:
    query = select(func.max(search_vectors.c.entry_id)).where(search_vectors.c.model == model)
    with read_transaction(engine) as connection:
        return int(connection.scalar(query) or 0)


def _entries_without(engine: Engine, model: str, first: int, *, english_only: bool) -> Sequence[Any]:
    has = exists().where(
        and_(search_vectors.c.model == model, search_vectors.c.entry_id == search_entries.c.id)
    )
    query = (
        select(search_entries.c.id, search_entries.c.language, documents.c.title, documents.c.text)
        .join(documents, documents.c.id == search_entries.c.document_id)
        .where(search_entries.c.id > first, ~has)
        .order_by(search_entries.c.id)
        .limit(AT_ONCE)
    )
    if english_only:
        language = func.lower(search_entries.c.language)
        query = query.where(or_(in_list(language, ["en", "und", ""]), language.like("en-%")))
    with read_transaction(engine) as connection:
        return connection.execute(query).all()
