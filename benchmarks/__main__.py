"""Runs one benchmark or all: `python -m benchmarks NAME [--data DIR]`.

Each prints a table and, as its last line, one JSON object with its figures. Compare the ratios against a peer in the
same run: machines are noisy.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = sorted(
    [path.stem for path in HERE.glob("[a-z]*.py")]
    + [path.parent.name for path in HERE.glob("[a-z]*/__main__.py")]
)
NEED_DATA = frozenset(
    {"dedupe", "extract", "newswire", "search", "stories", "story_languages", "summaries", "topics"}
)
TAKE_DATA = NEED_DATA | {"cycle", "embedding", "footprint"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("name", choices=["all", *NAMES], nargs="?", default="all")
    parser.add_argument("--data", help="folder with labelled data, for the benchmarks that need it")
    options = parser.parse_args()
    names = (
        [n for n in NAMES if options.data or n not in NEED_DATA] if options.name == "all" else [options.name]
    )
    failed = 0
    for name in names:
        print(f"== {name}", flush=True)
        data = ["--data", options.data] if options.data and name in TAKE_DATA else []
        failed += (
            subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *data], check=False).returncode != 0
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
