"""Words of a query and words of a text, compared without accents, cases and signs; the same for every database."""

from headwater.search.query import (
    QueryTerm,
    content_terms,
    matches_prefixes,
    query_terms,
    search_words,
    term_coverage,
)
from headwater.search.snippets import snippet

__all__ = [
    "QueryTerm",
    "content_terms",
    "matches_prefixes",
    "query_terms",
    "search_words",
    "snippet",
    "term_coverage",
]
