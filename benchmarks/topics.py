"""Topics, out of fold: `python -m benchmarks.topics --data DIR`. The last line is one JSON object.

DIR holds `topics/`. The head is trained five times, each time without a fifth of the texts; needs the extra nlp.
"""

import argparse
import json
from pathlib import Path

from training.topics import SHOWN, folds, read

from headwater.stories.topics.media_topics import TOPIC_NAMES
from headwater.stories.topics.model_file import FILE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    figures = folds(read(parser.parse_args().data))
    for name in SHOWN:
        print(f"{name:<42}{figures[name]:>8.4f}")
    for code, value in figures["by_class"].items():
        print(f"  {TOPIC_NAMES[code]:<40}{value:>8.3f}")
    print(json.dumps({**figures, "bytes": FILE.stat().st_size}))


if __name__ == "__main__":
    main()
