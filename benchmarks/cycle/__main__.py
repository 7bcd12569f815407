"""A cycle of the crypto recipe: CPU time per article, compared with a plain script in the same run.

    python -m benchmarks.cycle [--feeds 5000] [--entries 20] [--script-feeds 100] [--data DIR]

Both read the same generated feeds and pages from memory: half of the feeds carry whole articles, the others only teasers,
so that the page is read. With a folder of labelled data, the pages are real ones with different words. The script is
measured on fewer feeds, because its cost per article is constant.

What both do: parse feeds, read pages with metadata, recognise duplicates, store articles as rows. The script compares
addresses, hashes and the titles of one publisher's day; Headwater compares texts with all stored ones. Headwater also archives
every response, cleans the text, determines its language, scores its quality, indexes it for search, groups articles to stories
with summaries, and writes a file per article. It claims and leases rows, so that it can be killed anywhere; the script cannot.

`times_less_than_script` compares all of Headwater with the script. `times_less_for_the_same_work` compares the parts that
both have, without the start of the processes. `parts` are milliseconds per article on each side.
Limits: at most a fifth of the cost of the script, less than 512 MB. The last line is one JSON object.

The bytecode of all modules is written before either side is measured, as an installation does it: some environments forbid
Python to write it, and then each process would compile our modules again, but not those of the script's libraries.
"""

import argparse
import compileall
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.cycle import parts
from benchmarks.cycle.pages import skeletons_in
from benchmarks.cycle.parts import PartTimer, ms_by_part, same_work_ms
from benchmarks.cycle.world import World

LEAST_TIMES, MOST_MEGABYTES = 5.0, 512
ROOT = Path(__file__).parents[2]


def measure(side: str, feeds: int, entries: int, data: Path | None) -> dict[str, Any]:
    """Measures in this process: the results, and the cost without generating feeds and pages."""
    start = time.process_time()
    world = World(feeds, entries, skeletons_in(data) if data else ())
    world.spent = time.process_time() - start
    timer = PartTimer(since=world.spent)
    timer.replace_timed(world, ("body", parts.WORLD))
    with tempfile.TemporaryDirectory() as folder:
        if side == "headwater":
            from headwater.runtime.garbage_collector import (  # noqa: PLC0415 - neither side loads the other's imports
                collect_rarely,
            )

            collect_rarely()  # as the command does
            from benchmarks.cycle.engine import run_engine  # noqa: PLC0415 - as above

            counts, stages = run_engine(Path(folder), world, timer)
        else:
            from benchmarks.cycle.script import run_script  # noqa: PLC0415 - as above

            urls = [world.feed_url(number) for number in range(feeds)]
            counts = run_script(
                Path(folder, "articles.db"),
                urls,
                lambda url: world.body(url)[0],
                timer,
                thrifty=side == "thrifty script",
            )
            stages = {}
    own_usage, children_usage = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    seconds = (
        own_usage.ru_utime
        + own_usage.ru_stime
        + children_usage.ru_utime
        + children_usage.ru_stime
        - world.spent
    )
    timer.switch(parts.WORLD)
    timer.seconds[parts.READ] += children_usage.ru_utime + children_usage.ru_stime
    # Per article that was found: a reader that cannot read a feed does not count its articles.
    articles = sum(counts.values())
    return {
        "articles": articles,
        "counts": counts,
        "cpu_seconds": round(seconds, 2),
        "cpu_ms_per_article": round(1000 * seconds / articles, 3),
        "parts": ms_by_part(timer.seconds, articles),
        "readers_cpu_seconds": round(children_usage.ru_utime + children_usage.ru_stime, 2),
        "stages_cpu_seconds": {name: round(value, 2) for name, value in stages.items()},
        "peak_memory_mb": round(max(own_usage.ru_maxrss, children_usage.ru_maxrss) / 1024),
        "readers_peak_memory_mb": round(children_usage.ru_maxrss / 1024),
    }


def compile_modules() -> None:
    for package in ("src/headwater", "src/headwater_recipes", "benchmarks"):
        compileall.compile_dir(ROOT / package, quiet=2)


def measure_in_process(side: str, feeds: int, entries: int, data: Path | None) -> dict[str, Any]:
    """Measures in a separate process, so that neither side includes the memory or imports of the other."""
    command = [sys.executable, "-m", "benchmarks.cycle", "--side", side]
    output = subprocess.run(
        [
            *command,
            "--feeds",
            str(feeds),
            "--entries",
            str(entries),
            *(["--data", str(data)] if data else []),
        ],
        check=True,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONWARNINGS": "ignore"},
    ).stdout
    return dict(json.loads(output.splitlines()[-1]))


def _times_for_same_work(script: Mapping[str, Any], ours: Mapping[str, Any]) -> float:
    return same_work_ms(script["parts"]) / same_work_ms(ours["parts"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--feeds", type=int, default=5000)
    parser.add_argument("--entries", type=int, default=20)
    parser.add_argument("--script-feeds", type=int, default=100)
    parser.add_argument("--data", type=Path, help="folder with labelled data")
    parser.add_argument("--side", choices=["headwater", "script", "thrifty script"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(measure(options.side, options.feeds, options.entries, options.data)))
        return
    compile_modules()
    fewer = min(options.script_feeds, options.feeds)
    script, thrifty = (
        measure_in_process(side, fewer, options.entries, options.data)
        for side in ("script", "thrifty script")
    )
    ours = measure_in_process("headwater", options.feeds, options.entries, options.data)
    times, thrifty_times = (
        peer["cpu_ms_per_article"] / ours["cpu_ms_per_article"] for peer in (script, thrifty)
    )
    for name, result in (("script", script), ("thrifty script", thrifty), ("headwater", ours)):
        print(
            f"{name:14} {result['articles']:>8} articles {result['cpu_ms_per_article']:9.2f} ms each "
            f"{result['peak_memory_mb']:>6} MB  {result['counts']} {result['stages_cpu_seconds'] or ''}"
        )
        print(f"{'':14} {'ms each:':>8} " + ", ".join(f"{k} {v:.2f}" for k, v in result["parts"].items()))
    within = {"cost": times >= LEAST_TIMES, "memory": ours["peak_memory_mb"] < MOST_MEGABYTES}
    figures = {
        "benchmark": "cycle",
        "feeds": options.feeds,
        "times_less_than_script": round(times, 2),
        "times_less_than_thrifty_script": round(thrifty_times, 2),
        "times_less_for_the_same_work": round(_times_for_same_work(script, ours), 2),
        "times_less_for_the_same_work_as_thrifty_script": round(_times_for_same_work(thrifty, ours), 2),
    }
    print(json.dumps(figures | {"headwater": ours, "script": script, "thrifty": thrifty, "within": within}))


if __name__ == "__main__":
    main()
