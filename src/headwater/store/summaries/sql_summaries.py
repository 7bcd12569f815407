"""`model.ports.SummaryStore` on SQLite or PostgreSQL."""

from dataclasses import dataclass

from headwater.store.summaries.batches import BatchRows
from headwater.store.summaries.requests import RequestRows
from headwater.store.summaries.stories import StoryRows


@dataclass(frozen=True)
class SqlSummaryStore(RequestRows, BatchRows, StoryRows):
    """Requests, batches and the stories that show the answers."""
