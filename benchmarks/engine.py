"""The cost of the engine: CPU per document from lead to delivery, without fetching and extraction.

Batches of 100 on SQLite, with the real store, archive, steps and file sink; the fetcher answers at once from memory
and the time of the extractor is subtracted. Limits: 0.6 ms per document; at most 1.3 × that with 100,000 stored.
"""

import argparse
import json
import random
import resource
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from headwater.app import App
from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.model.document import Document
from headwater.model.http import Failure, Request, Response
from headwater.model.jobs import Job, Task
from headwater.model.keys import document_key, lead_key, source_key
from headwater.model.outcomes import ExtractHints, Reading
from headwater.model.recipe import Grouping, Recipe, Route
from headwater.model.source import Lead, Source, StoredLead, Trigger
from headwater.runtime.garbage_collector import freeze_loaded_objects
from headwater.settings.settings import Settings
from headwater.store.claims.poll import store_leads
from headwater.store.connect import write_transaction
from headwater.stories.clustering.groupings import cluster_by_headline

WORDS = [
    f"{a}{b}{c}"
    for a in ("lo", "mar", "ten", "vi", "sol")
    for b in ("ra", "ne", "ku", "del")
    for c in ("s", "n", "", "t")
]
SETTLE = timedelta(minutes=1)
TASKS = (Task.FETCH, Task.REFINE, Task.GATHER, Task.DELIVER)


def text_of(number: int, words: int = 450) -> str:
    chance = random.Random(number)
    return f"Report {number}. " + " ".join(chance.choices(WORDS, k=words))


@dataclass
class InstantFetcher:
    """A fetcher that returns every page at once; the time of generating them is measured and subtracted."""

    answers: deque[tuple[str, Response | Failure]] = field(default_factory=deque)
    seconds: float = 0.0

    def room(self) -> int:
        return 100 - len(self.answers)

    def submit(self, token: str, request: Request) -> None:
        start = time.process_time()
        number = int(request.url.rpartition("/")[2])
        body = ("<html><body>" + text_of(number) + "</body></html>").encode()
        headers = {"Content-Type": "text/html; charset=utf-8", "ETag": f'"{number}"', "Server": "bench"}
        answer = Response(url=request.url, status=200, headers=headers, body=body, media_type="text/html")
        self.answers.append((token, answer))
        self.seconds += time.process_time() - start

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        del wait
        return [self.answers.popleft() for _ in range(min(limit, len(self.answers)))]

    def close(self) -> None: ...


@dataclass
class ShiftedClock:
    """A clock that can be advanced, so that groups settle without waiting."""

    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Extractor:
    """Strips two tags; its CPU time is measured so that it can be subtracted."""

    seconds: float = 0.0

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading:
        del hints
        start = time.process_time()
        text = data[12:-14].decode()
        reading = Reading(
            text=text, title=text[:40], method="bench", origins={"title": "bench", "text": "bench"}
        )
        self.seconds += time.process_time() - start
        return reading


def group_of(document: Document) -> str:
    """Groups of about a hundred documents."""
    return document.title.split()[1][:-3]


def recipe_of(extract: Extractor) -> Recipe:
    return Recipe(
        name="bench",
        version="1",
        sources=(),
        discover={},
        extract={"text/html": extract},
        steps=(normalise, DropExactDuplicates()),
        trigger=Trigger(every=timedelta(hours=1)),
        grouping=Grouping(key=group_of, cluster=cluster_by_headline, settle=SETTLE, full_documents=False),
        routes=(Route(name="articles", sink="files"),),
    )


def add_leads(context: JobContext, source: Source, numbers: range) -> None:
    now = context.clock()
    for start in range(numbers.start, numbers.stop, 1000):
        leads = [
            StoredLead(
                id=lead_key("bench", source.id, str(n)),
                recipe="bench",
                source=source.id,
                document=document_key("bench", f"https://bench.example/{n}"),
                lead=Lead(
                    identity=str(n),
                    url=f"https://bench.example/{n}",
                    published=datetime(2026, 1, 1, tzinfo=UTC),
                ),
            )
            for n in range(start, min(start + 1000, numbers.stop))
        ]
        with write_transaction(context.store.engine) as connection:
            store_leads(connection, leads, None, now)


def drain(engine: Engine, clock: ShiftedClock, *excluded: Extractor | InstantFetcher) -> dict[str, float]:
    """CPU seconds per stage until nothing is left."""
    spent = dict.fromkeys((task.value for task in TASKS), 0.0)
    rounds = 0
    while rounds < 2:
        busy = False
        for task in TASKS:
            start, excluded_before = time.process_time(), sum(o.seconds for o in excluded)
            busy |= engine.run(Job("bench", task)) > 0
            spent[task.value] += (
                time.process_time() - start - (sum(o.seconds for o in excluded) - excluded_before)
            )
        if not busy:
            rounds += 1
            clock.ahead += 2 * SETTLE
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=int, default=100_000)
    parser.add_argument("--measured", type=int, default=3000)
    options = parser.parse_args()
    if options.stored < 1000 + options.measured:
        parser.error("--stored must be at least 1000 more than --measured")
    with tempfile.TemporaryDirectory() as folder:
        extract, fetcher, clock = Extractor(), InstantFetcher(), ShiftedClock()
        app = App(Settings(data=folder), clock=clock)
        source = Source(
            id=source_key("bench", "feed", "", "bench"), recipe="bench", kind="feed", name="bench"
        )
        app.store.register([source], app.clock())
        context = app.context("bench", fetching=False)
        context = JobContext(
            **{
                name: getattr(context, name)
                for name in ("owner", "store", "archive", "clock", "log", "sinks", "retry_policy")
            },
            recipes={"bench": recipe_of(extract)},
            fetcher=fetcher,
        )
        engine = Engine(context)
        freeze_loaded_objects()  # as in every worker
        rows, stored = [], 0
        for level in (1000, options.stored):
            add_leads(context, source, range(stored, level))
            drain(engine, clock, extract, fetcher)
            add_leads(context, source, range(level, level + options.measured))
            spent = drain(engine, clock, extract, fetcher)
            stored = level + options.measured
            rows.append((level, {name: 1000 * seconds / options.measured for name, seconds in spent.items()}))
        kept_count = app.catalogue.status("bench", app.clock())["documents"]["kept"]
        assert kept_count == stored, f"{kept_count} kept of {stored}"
        files = len(list(Path(folder, "out", "bench", "articles").iterdir()))
        assert files == stored, f"{files} files of {stored}"
    print(
        f"{'stored':>8} "
        + " ".join(f"{task.value:>8}" for task in TASKS)
        + "    total   (CPU ms per document)"
    )
    for level, cost in rows:
        print(
            f"{level:>8} " + " ".join(f"{cost[t.value]:8.3f}" for t in TASKS) + f" {sum(cost.values()):8.3f}"
        )
    small, large = (sum(cost.values()) for _, cost in rows)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {
        "cpu_ms_per_document_1k": round(small, 3),
        "cpu_ms_per_document_full": round(large, 3),
        "stored": options.stored,
        "growth": round(large / small, 3),
        "documents": stored,
        "peak_memory_mb": round(memory),
        "within": {"cost": large <= 0.6, "growth": large / small <= 1.3, "memory": memory < 512},
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
