"""Names of persons, organisations and countries without a model: precision and recall by language.

    python -m benchmarks.names [--errors]

`names.tsv` beside this file has short news texts, written for it, with their names: persons and organisations as written, countries
by their English names. The persons are invented. Texts of all languages are read together, as a batch of a run is. The last line
is one JSON object.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from headwater.documents.names.recognise import recognise_names

KINDS = ("PERSON", "ORG", "LOC")
Name = tuple[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    rows = read_rows(Path(__file__).with_suffix(".tsv"))
    started = time.process_time()
    results = recognise_names([text for _, text, _ in rows], [language for language, _, _ in rows])
    milliseconds = 1000 * (time.process_time() - started) / len(rows)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for (language, text, expected), entities in zip(rows, results, strict=True):
        names = {(entity.label, entity.text.casefold()) for entity in entities}
        if options.errors and names != expected:
            print(f"{language}: missing {sorted(expected - names)}, wrong {sorted(names - expected)}: {text}")
        for group in (language, "all"):
            counts[group].update(compare(expected, names))
    for group, count in counts.items():
        print(f"{group:<4}", *(f"{kind} {score(count, kind)}" for kind in KINDS))
    print(json.dumps({"texts": len(rows), "ms": round(milliseconds, 2), **totals(counts["all"])}))


def read_rows(path: Path) -> list[tuple[str, str, set[Name]]]:
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        language, text, *lists = line.split("\t")
        expected = {
            (kind, name.casefold())
            for kind, _, names in (part.partition("=") for part in lists)
            for name in names.split(";")
            if name
        }
        rows.append((language, text, expected))
    return rows


def compare(expected: set[Name], names: set[Name]) -> Iterable[str]:
    for outcome, items in (
        ("right", expected & names),
        ("missing", expected - names),
        ("wrong", names - expected),
    ):
        yield from (f"{kind} {outcome}" for kind, _ in items)


def score(count: Mapping[str, int], kind: str) -> str:
    right, missing, wrong = (count[f"{kind} {outcome}"] for outcome in ("right", "missing", "wrong"))
    return f"precision {right / max(right + wrong, 1):.2f} recall {right / max(right + missing, 1):.2f} ({right})"


def totals(count: Mapping[str, int]) -> dict[str, float]:
    figures = {}
    for kind in KINDS:
        right, missing, wrong = (count[f"{kind} {outcome}"] for outcome in ("right", "missing", "wrong"))
        figures[f"{kind.lower()}_precision"] = round(right / max(right + wrong, 1), 3)
        figures[f"{kind.lower()}_recall"] = round(right / max(right + missing, 1), 3)
    return figures


if __name__ == "__main__":
    main()
