"""Cost and gain of a cluster: PostgreSQL and Celery, compared with the engine in one process on SQLite.

    python -m benchmarks.cluster [--measured 3000] [--effort 5]

Leads carry their bodies, so that nothing is fetched; extraction and steps do almost nothing. The cost is the CPU time of
all processes: workers, beat, PostgreSQL (which writes to disk at every commit) and Valkey. Documents per second are
measured with one and with two workers of one process each: once with documents that compute for a few milliseconds, which
needs free processors, and once with documents that wait as long, which shows what the engine allows without any. Limits:
cost at most 3 times that of SQLite; two workers at least 1.7 times as fast as one; at most 0.05 messages per document.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from tests.servers.postgres import Postgres, running_postgres
from tests.servers.valkey import Valkey, running_valkey

from benchmarks.cluster.stage import embedded, running_cluster

MOST_TIMES, LEAST_GAIN, MOST_MESSAGES = 3.0, 1.7, 0.05
WARM = 300


def cost(folder: Path, postgres: Postgres, valkey: Valkey, measured: int) -> dict[str, Any]:
    with running_cluster(folder / "cost", postgres, valkey, "cost") as cluster:
        cluster.begin(1)
        cluster.drain(range(WARM))
        before, messages_before = cluster.cpu(), cluster.messages()
        cluster.drain(range(WARM, WARM + measured))
        spent = {name: 1000 * (seconds - before[name]) / measured for name, seconds in cluster.cpu().items()}
        return {
            "cpu_ms_per_document": round(sum(spent.values()), 3),
            "by_program": {name: round(value, 3) for name, value in spent.items()},
            "messages_per_document": round((cluster.messages() - messages_before) / measured, 4),
        }


def speed(
    folder: Path, postgres: Postgres, valkey: Valkey, *, workers: int, measured: int, kind: str, effort: float
) -> dict[str, float]:
    name = f"{kind}{workers}"
    with running_cluster(folder / name, postgres, valkey, name, **{kind: effort}) as cluster:
        cluster.begin(workers)
        cluster.drain(range(WARM))
        before = cluster.cpu()
        seconds = cluster.drain(range(WARM, WARM + measured))
        spent = sum(cluster.cpu().values()) - sum(before.values())
        return {
            "documents_per_second": round(measured / seconds, 1),
            "cpu_ms_per_document": round(1000 * spent / measured, 3),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measured", type=int, default=3000)
    parser.add_argument("--effort", type=float, default=5.0, help="milliseconds per document")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with (
        tempfile.TemporaryDirectory() as name,
        running_postgres(durable=True) as postgres,
        running_valkey() as valkey,
    ):
        folder = Path(name)
        embedded_cost = embedded(folder / "alone", WARM, options.measured)
        cluster_cost = cost(folder, postgres, valkey, options.measured)
        speeds = {
            kind: [
                speed(
                    folder,
                    postgres,
                    valkey,
                    workers=workers,
                    measured=options.measured,
                    kind=kind,
                    effort=options.effort,
                )
                for workers in (1, 2)
            ]
            for kind in ("computing", "waiting")
        }
    gains = {
        kind: two_workers["documents_per_second"] / one_worker["documents_per_second"]
        for kind, (one_worker, two_workers) in speeds.items()
    }
    times = cluster_cost["cpu_ms_per_document"] / embedded_cost
    print(f"embedded SQLite     {embedded_cost:8.3f} CPU ms per document")
    print(
        f"PostgreSQL + Celery {cluster_cost['cpu_ms_per_document']:8.3f} {cluster_cost['by_program']}  {times:.2f} times"
    )
    print(f"messages per document {cluster_cost['messages_per_document']}")
    for kind, (one_worker, two_workers) in speeds.items():
        print(f"{kind:9} 1 worker {one_worker}, 2 workers {two_workers}: {gains[kind]:.2f} times")
    figures = {
        "benchmark": "cluster",
        "documents": options.measured,
        "cores": os.cpu_count(),
        "load_before": round(load, 1),
        "embedded_cpu_ms_per_document": round(embedded_cost, 3),
        "cluster": cluster_cost,
        "times": round(times, 2),
        "speeds": speeds,
        "gain_computing": round(gains["computing"], 2),
        "gain_waiting": round(gains["waiting"], 2),
        "within": {
            "cost": times <= MOST_TIMES,
            "gain_computing": gains["computing"] >= LEAST_GAIN,
            "gain_waiting": gains["waiting"] >= LEAST_GAIN,
            "messages": cluster_cost["messages_per_document"] <= MOST_MESSAGES,
        },
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
