"""The rows of a search: documents with their snippets, their duplicates, and counts of their properties."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, select

from headwater.model.jobs import State
from headwater.search.analysis import analyse
from headwater.search.coverage import word_coverage
from headwater.search.matching import clause_occurs, clause_places, has_phrase
from headwater.search.query import TITLE, Clause, SearchQuery
from headwater.search.snippets import find_matches, make_snippet, query_terms
from headwater.search.text_terms import TextTerms
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents, sources
from headwater.store.schema.knowledge import edges
from headwater.store.schema.search import search_entries
from headwater.store.search.candidates import Candidate

FIELDS = ("id", "recipe", "title", "url", "publisher", "published_at", "language", "quality")
SEARCHED_FIELDS = ("text", "description", "keywords")
"""Read for the snippet; not part of a result."""
RESULT_FIELDS = (
    *FIELDS,
    "source",
    "score",
    "words_score",
    "similarity",
    "coverage",
    "snippet",
    "snippet_start",
    "highlights",
    "offsets",
    "title_highlights",
    "duplicates",
)
"""`similarity` only of a document with a vector."""
SPARE = 5
"""Candidates that are read beyond the limit, because some may be gone."""
TEXTS_AT_ONCE = 200
PLAIN_FACETS = {
    "recipe": documents.c.recipe,
    "source": sources.c.name,
    "publisher": documents.c.publisher,
    "language": documents.c.language,
}
FACET_COLUMNS: Mapping[str, Column[Any]] = PLAIN_FACETS | {
    "topic": documents.c.attributes,
    "country": documents.c.attributes,
    "subject": documents.c.subjects,
}
FACETS = tuple(FACET_COLUMNS)
MAX_VALUES = 20

IsWanted = Callable[[str], bool]


def result_rows(
    connection: Connection,
    query: SearchQuery,
    candidates: Sequence[Candidate],
    *,
    corrections: Collection[str] = (),
    is_wanted: IsWanted = lambda _: True,
    without_phrase: set[int] | None = None,
) -> list[dict[str, Any]]:
    """The best documents that are still kept, are wanted by their ids, and have the phrases of the query. Those that have no
    phrase are added to `without_phrase`; what is in it is not read again."""
    rows: list[dict[str, Any]] = []
    unmatched = set() if without_phrase is None else without_phrase
    unread = [candidate for candidate in candidates if candidate.number not in unmatched]
    start, end = 0, query.limit + SPARE
    while start < len(unread):
        part = unread[start:end]
        # If the first ones are not enough, many are not.
        start, end = end, end + max(query.limit, TEXTS_AT_ONCE)
        stored = _documents_by_number(connection, [candidate.number for candidate in part])
        for candidate in part:
            row = stored.get(candidate.number)
            if row is None or not is_wanted(row["id"]):
                continue
            if not has_phrases(query, row):
                unmatched.add(candidate.number)
                continue
            rows.append(_result(query, row, candidate, corrections))
            if len(rows) == query.limit:
                return _with_duplicates(connection, rows)
    return _with_duplicates(connection, rows)


def _documents_by_number(connection: Connection, numbers: Sequence[int]) -> dict[int, Mapping[str, Any]]:
    columns = (documents.c[name] for name in (*FIELDS, *SEARCHED_FIELDS))
    query = (
        select(search_entries.c.id.label("number"), *columns, sources.c.name.label("source"))
        .join(documents, documents.c.id == search_entries.c.document_id)
        .join(sources, sources.c.id == documents.c.source_id, isouter=True)
        .where(in_list(search_entries.c.id, numbers), documents.c.state == State.KEPT)
    )
    return {row["number"]: dict(row) for row in connection.execute(query).mappings()}


def without_phrases(connection: Connection, query: SearchQuery, numbers: Iterable[int]) -> set[int]:
    """Those of the documents that lack a phrase of the query, or have one that is excluded, or are no longer kept."""
    unmatched: set[int] = set()
    ordered = sorted(numbers)
    for start in range(0, len(ordered), TEXTS_AT_ONCE):
        part = ordered[start : start + TEXTS_AT_ONCE]
        stored = _documents_by_number(connection, part)
        unmatched.update(n for n in part if n not in stored or not has_phrases(query, stored[n]))
    return unmatched


def written_corrections(corrections: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The words as the best result writes them: the index has only their stems."""
    return {word: _written(term, rows) for word, term in corrections.items()}


def _written(term: str, rows: Sequence[Mapping[str, Any]]) -> str:
    for row in rows:
        for text, places in ((row["title"], row["title_highlights"]), (row["snippet"], row["highlights"])):
            for first, last in places:
                if any(term in terms for terms in analyse(text[first:last], row["language"])):
                    return str(text[first:last]).lower()
    return term


def has_phrases(query: SearchQuery, row: Mapping[str, Any]) -> bool:
    """Whether the words of each phrase stand together, and no word has an excluded beginning, which the index does not know."""
    if not query.has_phrases:
        return True
    groups = [group for group in query.required if any(clause.is_phrase for clause in group)]
    about = " ".join([row["description"], *map(str, row["keywords"] or ())])
    text = TextTerms((row["title"], about, row["text"]), row["language"])

    def occurs(clause: Clause) -> bool:
        if clause.field == TITLE:
            return clause_occurs(clause, text.title, text.code)
        places = clause_places(clause, text.code)
        answer = None if clause.prefix or not places else text.has_spoken(places)
        return has_phrase(clause, places, text) if answer is None else answer

    return all(any(map(occurs, group)) for group in groups) and not any(map(occurs, query.excluded_in_text))


def _result(
    query: SearchQuery, row: Mapping[str, Any], candidate: Candidate, corrections: Collection[str]
) -> dict[str, Any]:
    text, description, keywords = (row[name] for name in SEARCHED_FIELDS)
    terms = query_terms(query, row["language"], corrections)
    matches = find_matches(text, row["language"], terms)
    other_text = " ".join([row["title"], description, *map(str, keywords or ())])
    contained = {term for _, _, term in (*matches, *find_matches(other_text, row["language"], terms))}
    snippet = make_snippet(text, matches)
    result = {name: row[name] for name in (*FIELDS, "source")} | {
        "score": round(candidate.score, 6),
        "words_score": round(candidate.words, 4),
        "coverage": round(word_coverage(query.words, frozenset(contained), row["language"]), 3),
        "snippet": snippet.text,
        "snippet_start": snippet.start,
        "highlights": [list(place) for place in snippet.matches],
        "offsets": [list(place) for place in snippet.offsets],
        "title_highlights": [
            [first, last] for first, last, _ in find_matches(row["title"], row["language"], terms)
        ],
    }
    if candidate.similarity is not None:
        result["similarity"] = round(candidate.similarity, 4)
    return result


def _with_duplicates(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each document with the copies of it that arrived, which are no results of their own."""
    copies: dict[str, list[dict[str, Any]]] = defaultdict(list)
    if rows:
        columns = (documents.c[name] for name in ("id", "url", "title", "publisher", "published_at"))
        query = (
            select(edges.c.to_id, *columns)
            .join(documents, documents.c.id == edges.c.from_id)
            .where(in_list(edges.c.to_id, [row["id"] for row in rows]), edges.c.relation == "duplicate")
            .where(documents.c.state == State.DUPLICATE)
            .order_by(documents.c.id)
        )
        for row in connection.execute(query).mappings():
            copies[row["to_id"]].append({name: row[name] for name in row if name != "to_id"})
    return [row | {"duplicates": copies[row["id"]]} for row in rows]


def count_facets(
    connection: Connection, candidates: Iterable[Candidate], names: Sequence[str]
) -> dict[str, dict[str, int]]:
    """How many of the candidates have each value of these properties, the most frequent values first."""
    numbers = [candidate.number for candidate in candidates]
    columns = list(dict.fromkeys(FACET_COLUMNS[name] for name in names))
    query = (
        select(*columns)
        .select_from(search_entries)
        .join(documents, documents.c.id == search_entries.c.document_id)
        .join(sources, sources.c.id == documents.c.source_id, isouter=True)
        .where(in_list(search_entries.c.id, numbers), documents.c.state == State.KEPT)
    )
    # By column instead of by row: a thousand rows are read for every search of a page.
    values = dict(zip(columns, zip(*connection.execute(query).all(), strict=True), strict=False))
    return {name: _most_frequent(name, values.get(FACET_COLUMNS[name], ())) for name in names}


def _most_frequent(name: str, values: Iterable[Any]) -> dict[str, int]:
    """By facet value, from what the column of the facet has for each document."""
    counter: Counter[str] = Counter()
    if name in PLAIN_FACETS:
        counter.update(str(value) for value in values if value)
    else:
        for value in values:
            counter.update(_facet_values(name, value))
    return dict(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_VALUES])


def _facet_values(name: str, value: Any) -> set[str]:
    """Those of one document, from its attributes or its subjects."""
    if not value:
        return set()
    if name == "topic":
        topic = value.get("topic")
        parts: Iterable[Any] = [topic.get("name") if isinstance(topic, Mapping) else topic]
    elif name == "country":
        places = value.get("geo_entities") or ()
        parts = [place.get("alpha2") for place in places if isinstance(place, Mapping)]
    else:
        parts = value
    return {str(part) for part in parts if part}
