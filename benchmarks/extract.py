"""Reading web pages: accuracy, metadata, false alarms, hostile input and speed, with trafilatura in the same run.

python -m benchmarks.extract --data DIR

DIR holds `extract/*.tar.xz`; the archives are unpacked into a temporary folder. WCXB figures are out of fold by registered
domain: each page is read with a network that was trained without the pages of its domain. Both readers are timed with
their metadata.
"""

import argparse
import json
import statistics
import tempfile
import warnings
from pathlib import Path

from benchmarks.reading.hostile import fuzzed, hostile
from benchmarks.reading.pages import Case, articles, mixed, unpack
from benchmarks.reading.runs import (
    Outcome,
    alarms,
    fold_networks,
    metadata_seconds,
    our_metadata,
    ours,
    out_of_fold,
    peer,
    peer_metadata,
)
from benchmarks.reading.scores import article_score, metadata_score, mixed_score, speed_score
from headwater.extract.html.classifier.network import default_classifier


def row(name: str, mine: float, theirs: float | None, target: str = "") -> None:
    other = f"{theirs:10.4f}" if theirs is not None else " " * 10
    print(f"{name:<34}{mine:>10.4f}{other}   {target}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--without-peer", action="store_true", help="skip trafilatura (it takes most of the time)"
    )
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        unpack(arguments.data, Path(folder))
        first, second = list(articles(Path(folder))), list(mixed(Path(folder)))
    report(first, second, with_peer=not arguments.without_peer)


def report(first: list[Case], second: list[Case], *, with_peer: bool) -> None:
    classifier, folds = default_classifier(), fold_networks()
    a, b = ours(first, lambda _: classifier), ours(second, lambda case: out_of_fold(folds, case.url))
    pairs = [(case.gold, text) for case, text in zip(first, a.texts, strict=True)]
    figures: dict[str, object] = {
        "aeb": article_score(pairs),
        "wcxb_out_of_fold": mixed_score(second, b.texts),
        "metadata": metadata_score(second, our_metadata(b.readings)),
        "metadata_ms": 1000 * metadata_seconds(second) / len(second),
        "aeb_ms": milliseconds(a),
        "wcxb_ms": milliseconds(b),
    }
    if with_peer:
        figures |= peer_figures(first, second, a, b)
    reasons, false = alarms(first + second, a.readings + b.readings)
    figures |= {"refused": reasons, "false_alarms": false}
    figures["fuzzed"] = fuzzed(first + second, 2_000)
    attacks = hostile()
    figures["hostile_worst_seconds"] = max(seconds for _, seconds in attacks.values())
    show(figures, attacks)
    print(json.dumps(figures))


def milliseconds(outcome: Outcome) -> dict[str, float]:
    return {
        "mean": 1000 * statistics.mean(outcome.seconds),
        "median": 1000 * statistics.median(outcome.seconds),
    }


def peer_figures(
    first: list[Case], second: list[Case], our_first: Outcome, our_second: Outcome
) -> dict[str, object]:
    a, b = peer(first), peer(second)
    about, spent = peer_metadata(second)
    pairs = [(case.gold, text) for case, text in zip(first, a.texts, strict=True)]
    return {
        "peer_aeb": article_score(pairs),
        "peer_wcxb": mixed_score(second, b.texts),
        "peer_metadata": metadata_score(second, about),
        "peer_metadata_ms": 1000 * spent / len(second),
        "peer_aeb_ms": milliseconds(a),
        "peer_wcxb_ms": milliseconds(b),
        "aeb_times_faster": speed_score(our_first.seconds, a.seconds),
        "wcxb_times_faster": speed_score(our_second.seconds, b.seconds),
    }


TARGETS = {
    "aeb f1": ">= .960",
    "wcxb all": ">= .87",
    "wcxb article": ">= .96",
    "title": ">= .80",
    "author_recall": ">= .74",
    "date_recall": ">= .86",
    "date_precision": ">= .92",
    "dates_invented": "<= .10",
    "metadata ms": "<= 4",
    "aeb times faster by sum": ">= 3.2",
    "aeb times faster by median page": ">= 3.2",
    "wcxb times faster by sum": ">= 3.2",
    "wcxb times faster by median page": ">= 3.2",
}


def show(figures: dict, attacks: dict[str, tuple[str, float]]) -> None:
    print(f"{'':<34}{'ours':>10}{'peer':>10}   target")
    groups = (
        ("aeb", "aeb", "peer_aeb"),
        ("wcxb", "wcxb_out_of_fold", "peer_wcxb"),
        ("", "metadata", "peer_metadata"),
        ("aeb ms per page,", "aeb_ms", "peer_aeb_ms"),
        ("wcxb ms per page,", "wcxb_ms", "peer_wcxb_ms"),
        ("aeb times faster", "aeb_times_faster", ""),
        ("wcxb times faster", "wcxb_times_faster", ""),
    )
    for label, mine, theirs in groups:
        for name, value in figures.get(mine, {}).items():
            full = f"{label} {name}".strip()
            row(full, value, figures.get(theirs, {}).get(name), TARGETS.get(full, ""))
    row("metadata ms", figures["metadata_ms"], figures.get("peer_metadata_ms"), TARGETS["metadata ms"])
    print(f"refused {figures['refused']}, of these with real gold text: {figures['false_alarms']}")
    print(f"2,000 mutated pages: {figures['fuzzed']}")
    for name, (result, seconds) in attacks.items():
        print(f"  {name:<28}{seconds:7.2f} s   {result}")


if __name__ == "__main__":
    main()
