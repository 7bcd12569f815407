"""What an installation costs that has nothing to do: processor time and memory of all its processes; and what packs save.

`run` is `headwater run` with one source that is not due. With `--redis` and `--database`, `beat` and two workers are measured
as well. Shared memory counts once in `memory` (PSS) and once per process in `resident` (RSS). With `--data`, pages of the
extraction benchmark are packed.
"""

import argparse
import json
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import yaml

from headwater.archive.warc import encode_pack
from headwater.model.http import Capture

SETTLE_SECONDS = 40.0
PAGES = 200


@contextmanager
def programs(
    folder: Path, settings: dict[str, Any], commands: Sequence[Sequence[str]]
) -> Iterator[list[psutil.Process]]:
    feeds, path = folder / "feeds.yaml", folder / "headwater.yaml"
    feeds.write_text(yaml.safe_dump({"sources": [{"name": "Nobody", "url": "http://127.0.0.1:9/feed"}]}))
    recipes = {"crypto": {"sources": str(feeds)}}
    path.write_text(yaml.safe_dump({"data": str(folder / "data"), "recipes": recipes, **settings}))
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "headwater.cli", "--config", str(path), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for words in commands
    ]
    try:
        yield [psutil.Process(process.pid) for process in started]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def measure(roots: Sequence[psutil.Process], seconds: float) -> dict[str, float]:
    """Figures of these processes and their children, once they have settled."""
    processes = _settled(roots)
    before, started = _processor_time(processes), time.monotonic()
    time.sleep(seconds)
    spent, passed = _processor_time(processes) - before, time.monotonic() - started
    memory = [process.memory_full_info() for process in processes]
    return {
        "processes": len(processes),
        "cpu_s_per_min": round(60 * spent / passed, 2),
        "memory_gb": round(sum(each.pss for each in memory) / 1e9, 3),
        "resident_gb": round(sum(each.rss for each in memory) / 1e9, 3),
    }


def _settled(roots: Sequence[psutil.Process]) -> list[psutil.Process]:
    """All processes, once none was started or ended for a while: on a busy machine that takes longer."""
    processes: list[psutil.Process] = []
    while True:
        time.sleep(SETTLE_SECONDS)
        now = [process for root in roots for process in (root, *root.children(recursive=True))]
        if set(now) == set(processes):
            return now
        processes = now


def _processor_time(processes: Sequence[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def packed_pages(data: Path) -> dict[str, float]:
    """Pages as they are, and in a pack."""
    bodies = list(_pages(data / "extract" / "aeb.tar.xz"))
    captures = [(_capture(body), body) for body in bodies]
    started = time.process_time()
    pack, _ = encode_pack(captures)
    spent, size = time.process_time() - started, sum(map(len, bodies))
    return {
        "pages": len(bodies),
        "times_smaller": round(size / len(pack), 2),
        "ms_per_page": round(1000 * spent / len(bodies), 2),
    }


def _pages(path: Path) -> Iterator[bytes]:
    count = 0
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() and ".html" in member.name else None
            if file is not None and count < PAGES:
                count += 1
                yield file.read()


def _capture(body: bytes) -> Capture:
    url = "https://north.example/dues"
    return Capture(
        id="c", lead="l", url=url, final_url=url, status=200, headers={"content-type": "text/html"}, media_type="text/html",
        sha256=sha256(body).hexdigest(), size=len(body), fetched_at=datetime(2026, 11, 13, 9, tzinfo=UTC),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--database")
    parser.add_argument("--redis")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    report: dict[str, Any] = {}
    with (
        TemporaryDirectory() as folder,
        programs(Path(folder), {}, [["run", "crypto", "--quiet"]]) as running,
    ):
        report["run"] = measure(running, options.seconds)
    if options.database and options.redis:
        settings = {"database": options.database, "redis": options.redis}
        worker = ["worker", "--recipe", "crypto", "--concurrency", "1"]
        commands = [["beat", "--recipe", "crypto"], worker, worker]
        with TemporaryDirectory() as folder, programs(Path(folder), settings, commands) as running:
            report["beat and two workers"] = measure(running, options.seconds)
    if options.data:
        report["packs"] = packed_pages(options.data)
    for name, figures in report.items():
        print(f"{name:24} {figures}")
    print(json.dumps({"benchmark": "footprint", **report}))


if __name__ == "__main__":
    main()
