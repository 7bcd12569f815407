"""Searches over HTTP at a million documents, for benchmarks.web_api: the index of benchmarks.search_scale over its documents."""

import numpy as np
from tests.support.web_client import client_of, refuse_runs

from benchmarks.search_scale import fill_index, query_words
from benchmarks.stopwatch import Stopwatch
from headwater.app import App
from headwater.model.errors import HeadwaterError
from headwater.store.connect import unchecked_transaction
from headwater.store.search.query_vectors import SearchEncoders, open_search_encoder, vector_name
from headwater.web.serving import make_context

QUERIES = 100
FACETS = "&".join(f"facet={name}" for name in ("recipe", "topic", "country", "language", "source"))
SEARCHES = {
    "words": "/api/v1/search?q=TEXT&method=words",
    "words, with facets": f"/api/v1/search?q=TEXT&method=words&{FACETS}",
    "hybrid": "/api/v1/search?q=TEXT",
    "hybrid, with facets": f"/api/v1/search?q=TEXT&{FACETS}",
    "page": "/search?q=TEXT",
}


def search_texts(count: int) -> list[str]:
    return ["+".join(words) for words in query_words(np.random.default_rng(11), count)]


def fill_search(app: App, count: int, recipe: str) -> bool:
    """Indexes the documents of the benchmark under their numbers; returns whether they have vectors, which needs an encoder."""
    with unchecked_transaction(app.store.engine) as connection:
        connection.exec_driver_sql(
            "INSERT INTO search_entries (id, document_id, recipe, language, moment, quality, length, updated_at) "
            f"SELECT number, id, recipe, 'en', 0, 0.5, 300, updated_at FROM documents WHERE number <= {count}"
        )
    model, dimensions = _encoder(app)
    fill_index(app.store.engine, count, recipe=recipe, model=model, dimensions=dimensions)
    return bool(model)


def _encoder(app: App) -> tuple[str, int]:
    """The name of the vectors of English documents, and their dimensions."""
    encoders = SearchEncoders(app.settings.folder, app.settings.encoder)
    files = encoders.listed[0].files
    try:
        return vector_name(encoders.folder, files), open_search_encoder(encoders.folder, files)(["w"]).shape[
            1
        ]
    except HeadwaterError:
        return "", 1


async def measure_search(app: App, *, has_vectors: bool) -> None:
    async with client_of(make_context(app, refuse_runs)) as client:
        for name, path in SEARCHES.items():
            if name.startswith("hybrid") and not has_vectors:
                continue
            watch = Stopwatch()
            for text in search_texts(QUERIES):
                with watch.running():
                    answer = await client.get(path.replace("TEXT", text))
                assert answer.status_code == 200, answer.text
            print(f"search: {name:36} {watch}", flush=True)
