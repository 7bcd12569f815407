"""A simulated day of the crypto recipe with politeness: 5,000 feeds, 100,000 articles.

    python -m benchmarks.load_day [--feeds 5000] [--entries 20] [--postgres] [--curves FILE]

Feeds publish over the day and are polled by the recipe's own schedule (every four hours). Requests obey the rate limits under a
simulated clock: it jumps when nothing is to be done and moves by the CPU time of the work, as if one processor did
everything. One process does everything and is never replaced; pages are read in child processes, as always. With
`--postgres`, rows are in a PostgreSQL of its own, whose CPU time counts, too. robots.txt is not requested.
Every twentieth of the articles prints a sample: memory, lag, cost per article and disk as they develop. `world_seconds`, the cost
of generating feeds and pages, counts nowhere. The last line is one JSON object with these curves. `--curves` writes the samples
to a file, anew after each of them, and the result at the end. Folder and port are chosen anew for every run, so that a run on
SQLite and one on PostgreSQL can go on side by side. The whole day needs 100,000
times the cost of an article by the clock, because one processor does everything. Limits: 300 MB per process; every source polled
within 1.5 intervals; the cost per article of the last round of polls within 20 % of the second (the first starts the readers).
`yardstick_ms_by_round` is what one and the same computation cost at the end of each round: if it grows as well, the machine got
slower and not the engine.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.servers.postgres import running_postgres

from benchmarks.load_day.day import LoadDay, Sample
from benchmarks.load_day.results import summarise
from benchmarks.load_day.world import DayWorld

INTERVAL = timedelta(hours=4)
MOST_MEGABYTES, LONGEST_GAP, MOST_GROWTH = 300, 1.5, 1.2
SAMPLES = 20
CURVES = (
    "articles",
    "cpu_ms_per_article",
    "lag_minutes_p95",
    "memory_mb",
    "reader_memory_mb",
    "bytes_per_article",
)


@contextmanager
def database_server(*, enabled: bool) -> Iterator[tuple[str | None, int | None]]:
    """The address of a PostgreSQL and its process id, or nothing."""
    if not enabled:
        yield None, None
        return
    with running_postgres(durable=True) as postgres:
        process = int((postgres.data / "postmaster.pid").read_text().split()[0])
        yield postgres.create("load"), process


def write_curves(file: Path | None, content: Mapping[str, Any]) -> None:
    if file is not None:
        file.write_text(json.dumps(content, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--feeds", type=int, default=5000)
    parser.add_argument("--entries", type=int, default=20)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--curves", type=Path, help="file for the samples and the result, in JSON")
    options = parser.parse_args()
    world = DayWorld(options.feeds, options.entries)
    with (
        database_server(enabled=options.postgres) as (database, server),
        tempfile.TemporaryDirectory() as folder,
    ):
        every = max(1, options.feeds * options.entries // SAMPLES)

        def report(sample: Sample) -> None:
            print(json.dumps(sample), flush=True)
            write_curves(options.curves, {"samples": day.samples})

        day = LoadDay(Path(folder), world, database, server, report, every)
        day.run()
        results = summarise(day.app.store.engine, Path(folder), INTERVAL)
        day.app.store.engine.dispose()
    costs = day.round_costs
    growth = costs[-1] / costs[1]
    memory = max(sample["memory_mb"] for sample in day.samples)
    reader = max(sample["reader_memory_mb"] for sample in day.samples)
    figures = {
        "benchmark": "load_day",
        "database": "postgresql" if options.postgres else "sqlite",
        "feeds": options.feeds,
        "articles": day.articles,
        "cpu_ms_per_article": round(1000 * day.samples[-1]["cpu_seconds"] / max(1, day.articles), 2),
        "growth": round(growth, 3),
        "cpu_ms_per_article_by_round": [round(cost, 2) for cost in costs],
        "yardstick_ms_by_round": [round(done.yardstick_ms, 1) for done in day.rounds],
        "memory_mb": memory,
        "reader_memory_mb": reader,
        **results,
        "curves": {name: [sample[name] for sample in day.samples] for name in CURVES},
        "within": {
            "memory": max(memory, reader) <= MOST_MEGABYTES,
            "polls": results["longest_gap_in_intervals"] <= LONGEST_GAP,
            "growth": growth <= MOST_GROWTH,
        },
    }
    print(json.dumps(figures))
    write_curves(options.curves, {"samples": day.samples, "result": figures})
    return 0 if all(figures["within"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
