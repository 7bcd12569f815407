"""What somebody typed, as terms: single words, and phrases between quotation marks. There are no operators."""

from collections.abc import Sequence

from headwater.pure.search.words import words_of

MOST_TERMS = 32
TELLING = 3  # letters; what is shorter is mostly grammar
GRAMMAR = "amb and con das del der des die dos els eta for las les los per por que the una und une von"
BEGINNING = 4
LONG, ENDING = 6, 2

Term = tuple[str, ...]


def terms(query: str) -> tuple[Term, ...]:
    """Each once, in order; no more than a person would type."""
    found: list[Term] = []
    for place, part in enumerate(query.replace("“", '"').replace("”", '"').split('"')):
        words = words_of(part)
        found += [tuple(words)] if place % 2 and words else [(word,) for word in words]
    return tuple(dict.fromkeys(term[:MOST_TERMS] for term in found))[:MOST_TERMS]


def telling(asked: Sequence[Term]) -> tuple[Term, ...]:
    """Those that say what it is about, as beginnings: a long word without its ending finds its other forms."""
    long = [term for term in asked if len(term) > 1 or _tells(term[0])]
    return tuple(dict.fromkeys(_beginning(term) for term in long or asked))


def _tells(word: str) -> bool:
    return len(word) >= TELLING and f" {word} " not in f" {GRAMMAR} "


def _beginning(term: Term) -> Term:
    last = term[-1]
    return (*term[:-1], last[:-ENDING] if len(last) >= LONG else last)


def continues(term: Term) -> bool:
    """Whether words that go on count as well: not after a short one, with which too many begin."""
    return len(term[-1]) >= BEGINNING


def coverage(asked: Sequence[Term], text: str) -> float:
    """The share of telling terms that the text holds."""
    wanted = telling(asked)
    held = f" {' '.join(words_of(text))} "
    told = [f" {' '.join(term)}{'' if continues(term) else ' '}" for term in wanted]
    return sum(one in held for one in told) / len(wanted) if wanted else 0.0
