"""Which of many saved searches a document meets, compared with checking every one of them in the same run.

    python -m benchmarks.saved_searches [--searches 10000] [--documents 1000] [--quick]

Texts are generated with the word frequencies of natural language (Zipf), with typographic quotation marks and accents.
The searches are made of words of the texts: two or three words, phrases, alternatives, prefixes, exclusions, and filters.
A worker analyses the text of a document and its properties once, for the search index and for the saved searches. Measured is what it does for the
index alone, what it does for both, and the difference, which is what saved searches cost. The best of five passes over the same
documents counts, so the stems of their words are in the cache, as those of frequent words are in a worker. The last line is one JSON object.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate

from headwater.model.document import Document
from headwater.search.entry_terms import entry_terms
from headwater.search.matching import (
    SearchedDocument,
    document_keys,
    document_text,
    matches,
    searched_document,
)
from headwater.search.query import SearchQuery, parse_query
from headwater.search.query_index import QueryIndex

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
SYLLABLES = (
    *("ka", "lo", "mer", "tin", "da", "vo", "ran", "sel", "ti", "bor", "an", "gu", "per", "mi"),
    *("no", "lac", "fer", "os", "tra", "el", "vi", "ru", "com", "pa", "ne", "sto", "al", "by", "é"),
)
VOCABULARY = 30_000
WORDS_PER_DOCUMENT = 450
PUBLISHERS = tuple(f"Publisher {number}" for number in range(200))
FREQUENT = 2_000
"""Words that no saved search consists of."""
COMPARED = 10
"""Documents for which every search is checked."""


def vocabulary(chance: random.Random) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(chance.choice(SYLLABLES) for _ in range(1 + len(words) // 400 % 5))] = None
        words["".join(chance.choice(SYLLABLES) for _ in range(chance.randint(2, 5)))] = None
    return list(words)[:VOCABULARY]


def made_documents(chance: random.Random, words: Sequence[str], count: int) -> list[Document]:
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    documents = []
    for number in range(count):
        chosen = chance.choices(words, cum_weights=weights, k=WORDS_PER_DOCUMENT)
        text = " ".join(word + chance.choice(("", "", "", "", "", ",", ".", "’s")) for word in chosen)
        documents.append(
            Document(
                id=f"d{number}",
                recipe=chance.choice(("news", "markets")),
                source="s1",
                lead="l1",
                url=f"https://site{number % 50}.example/{number}",
                title=" ".join(chosen[:9]).capitalize(),
                text=f"“{text}”",
                description=" ".join(chosen[20:40]),
                publisher=chance.choice(PUBLISHERS),
                published=NOW,
                language=chance.choice(("en", "en", "en", "es")),
                quality=0.8,
            )
        )
    return documents


def made_searches(
    chance: random.Random, words: Sequence[str], documents: Sequence[Document], count: int
) -> list[SearchQuery]:
    """Of words that stand in one text: those that say something, which are not among the most frequent."""
    frequent = frozenset(words[:FREQUENT])
    queries = []
    while len(queries) < count:
        text = [word.strip("“”.,").removesuffix("’s") for word in chance.choice(documents).text.split()]
        first, second, third = chance.sample([word for word in text if word not in frequent], 3)
        place = text.index(third)
        shapes = (
            f"{first} {second}",
            f"{first} {second} {third}",
            f"{first} {second} -{third}",
            f"{third} {text[0]} -{second}",
            f'"{" ".join(text[max(0, place - 1) : place + 2])}"',
            f'"{text[0]} {text[1]}" {third}',
            f"{third} OR {second} {first}",
            f"{third[:5]}* {second}",
            f"title:{third}",
            f'{third} publisher:"{chance.choice(PUBLISHERS)}"',
            f"{second} {third} recipe:news language:en since:7d",
        )
        queries.append(parse_query(chance.choice(shapes), NOW))
    return queries


def measure(index: QueryIndex, documents: Sequence[Document]) -> tuple[float, float, list[list[int]]]:
    """CPU milliseconds per document: for the search index and the saved searches, for the index alone; and what matched."""
    both, alone, answers = float("inf"), float("inf"), []
    for _ in range(5):
        start = time.process_time()
        for document in documents:
            entry_terms(document_text(document), document_keys(document))
        alone = min(alone, time.process_time() - start)
        start, answers = time.process_time(), []
        for document in documents:
            searched = searched_document(document)
            entry_terms(searched.text, searched.keys)
            answers.append(index.matching(searched))
        both = min(both, time.process_time() - start)
    return both / len(documents) * 1e3, alone / len(documents) * 1e3, answers


def check_every(queries: Sequence[SearchQuery], document: SearchedDocument) -> list[int]:
    return [position for position, query in enumerate(queries) if matches(query, document)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--searches", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    chance = random.Random(5)
    words = vocabulary(chance)
    past = made_documents(chance, words, 100 if options.quick else 1000)
    documents = made_documents(chance, words, 50 if options.quick else options.documents)
    queries = made_searches(chance, words, past, 500 if options.quick else options.searches)
    index = QueryIndex(queries)
    start = time.process_time()
    for document in past:  # builds the index of every language
        index.matching(searched_document(document))
    build_seconds = time.process_time() - start  # with the first documents
    total, alone, answers = measure(index, documents)
    start = time.process_time()
    expected = [check_every(queries, searched_document(document)) for document in documents[:COMPARED]]
    every = (time.process_time() - start) / COMPARED * 1e3
    assert expected == answers[:COMPARED], "the index and the check of every search disagree"
    print(f"{len(queries)} saved searches, {len(documents)} documents of {WORDS_PER_DOCUMENT} words")
    print(f"{'checking every search':28} {every:9.3f} ms per document")
    print(f"{'search index':28} {alone:9.3f} ms per document, with the analysis of its text")
    print(f"{'and saved searches':28} {total:9.3f} ms per document")
    print(f"{'saved searches':28} {total - alone:9.3f} ms per document")
    print(
        f"{sum(map(len, answers)) / len(documents):.2f} matches per document; built with the first {len(past)} documents in {build_seconds:.2f} s"
    )
    report = {
        "benchmark": "saved_searches",
        "searches": len(queries),
        "documents": len(documents),
        "ms_per_document": round(total - alone, 4),
        "ms_search_index": round(alone, 4),
        "ms_checking_every": round(every, 3),
        "times_faster": round(every / (total - alone), 1),
        "matches_per_document": round(sum(map(len, answers)) / len(documents), 2),
        "build_seconds": round(build_seconds, 2),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
