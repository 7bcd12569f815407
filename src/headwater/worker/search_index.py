"""The nightly look at the search indexes, by words and by meaning, so that the first search of the day need not fill them."""

from typing import Any

from headwater.app import App
from headwater.backends.sql.indexing import index_documents
from headwater.backends.sql.nearness_index import bring_up_to_date


def fill_search_index(app: App) -> dict[str, Any]:
    """How many documents were read or taken out, by recipe; recipes without news are not named."""
    counts = {name: index_documents(app.store.engine, name) for name in sorted(app.recipes)}
    bring_up_to_date(app.store.engine)
    return {name: count for name, count in counts.items() if count}
