"""Words of a query and words of a text, compared without accents, cases and signs; the same for every database."""

from headwater.pure.search.query import Term, continues, coverage, telling, terms
from headwater.pure.search.snippet import snippet
from headwater.pure.search.words import words_of

__all__ = ["Term", "continues", "coverage", "snippet", "telling", "terms", "words_of"]
