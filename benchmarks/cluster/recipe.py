"""The recipe that both sides run: almost only the engine, and a step that computes or waits on demand."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.model.document import Document
from headwater.model.outcomes import ExtractHints, Reading
from headwater.model.recipe import Grouping, Recipe, Route, StepContext
from headwater.model.source import Trigger
from headwater.stories.clustering.groupings import cluster_by_headline

NAME = "bench"
SETTLE = timedelta(seconds=2)
BLOCK = b"headwater" * 1000


def extract(data: bytes, hints: ExtractHints) -> Reading:
    del hints
    text = data.decode()
    return Reading(text=text, title=text[:40], method="bench", origins={"title": "bench", "text": "bench"})


@dataclass(frozen=True)
class Effort:
    """The time of a document outside the engine, in milliseconds: of computing, and of waiting."""

    computing: float
    waiting: float
    name: str = "effort"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Document]:
        del context
        for _ in batch:
            until = time.thread_time() + self.computing / 1000
            while self.computing and time.thread_time() < until:
                sha256(BLOCK).digest()
            if self.waiting:
                time.sleep(self.waiting / 1000)
        return batch


def group_of(document: Document) -> str:
    """Groups of about a hundred documents."""
    return document.title.split()[1][:-3]


def recipe() -> Recipe:
    effort = Effort(
        float(os.environ.get("BENCH_COMPUTING", "0")), float(os.environ.get("BENCH_WAITING", "0"))
    )
    return Recipe(
        name=NAME,
        version="1",
        sources=(),
        discover={},
        extract={"text/plain": extract},
        steps=(normalise, effort, DropExactDuplicates()),
        trigger=Trigger(every=timedelta(hours=1)),
        grouping=Grouping(key=group_of, cluster=cluster_by_headline, settle=SETTLE, full_documents=False),
        routes=(Route(name="articles", sink="files"),),
    )
