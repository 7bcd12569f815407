"""Reports of one event in other words, and similar reports of others: `python -m benchmarks.wording [--models FOLDER] [--errors]`.

The first two files beside this one have 30 pairs each: a line of `same_event.tsv` is one event in the words of two publishers, a line of
`other_event.tsv` are two events of one kind or about one company. Names are invented. All 120 reports are of one day and of one group, as in
a recipe. A pair is joined if both reports are in one story; `mixed` are reports in a story with others of another line. `whole` are
headlines with their texts, `headline` the headlines alone of pages that could not be read, `held out` ten further pairs of each
kind, which were written after the rules and not used to choose any. Methods: `event` (the recipe crypto, with and without the extra nlp), `words` (tier A,
`headwater cluster` without nlp), `meaning` (tier B; only with `--models`, where the encoder is kept). The last line is JSON.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from headwater.model.document import Document
from headwater.model.page import PageState
from headwater.model.recipe import Cluster
from headwater.stories.clustering.events import cluster_by_event
from headwater.stories.clustering.groupings import cluster_by_meaning
from headwater.stories.document_vectors import DocumentEncoder, cluster_by_embedding

DAY = datetime(2026, 11, 13, 9, tzinfo=UTC)
SEEN = {"same": "same_event.tsv", "other": "other_event.tsv"}
HELD_OUT = {"same": "held_out_same.tsv", "other": "held_out_other.tsv"}
Method = Callable[[Sequence[Document]], Sequence[Cluster]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", help="the folder of models of the method `meaning`")
    parser.add_argument("--errors", action="store_true", help="show the pairs that are wrong")
    options = parser.parse_args()
    methods: dict[str, Method] = {"event": cluster_by_event, "words": cluster_by_meaning(None)}
    if options.models:
        methods["meaning"] = cluster_by_embedding(DocumentEncoder(str(Path(options.models))))
    figures = {}
    corpora = {
        "whole": read_reports(with_text=True),
        "headline": read_reports(with_text=False),
        "held out": read_reports(with_text=True, sets=HELD_OUT),
    }
    for form, reports in corpora.items():
        for name, method in methods.items():
            figures[f"{name}, {form}"] = measure(reports, method, show=options.errors)
    for name, values in figures.items():
        print(f"{name:<20}" + "  ".join(f"{key} {value}" for key, value in values.items()))
    print(json.dumps(figures))


def read_reports(*, with_text: bool, sets: Mapping[str, str] = SEEN) -> list[Document]:
    """The id says file, line and side."""
    documents = []
    for kind, name in sets.items():
        lines = (files(__package__) / name).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            fields = line.split("\t")
            for side, (title, text) in enumerate(((fields[0], fields[1]), (fields[2], fields[3]))):
                documents.append(_report(f"{kind}-{number:02}-{side}", title, text if with_text else ""))
    return documents


def _report(name: str, title: str, text: str) -> Document:
    return Document(
        id=name, recipe="r", source="s", lead="l", url=f"https://{name}.example/", title=title, text=text,
        published=DAY, language="en", page=PageState.READ if text else PageState.MISSING,
    )  # fmt: skip


def measure(reports: Sequence[Document], method: Method, *, show: bool = False) -> Mapping[str, int]:
    """Pairs of one event that are joined, pairs of two events that are joined, and reports among those of other lines."""
    story_of = {
        reports[position].id: number
        for number, cluster in enumerate(method(reports))
        for position, _ in cluster.members
    }
    pairs = sorted({report.id.rpartition("-")[0] for report in reports})
    joined = [pair for pair in pairs if story_of[f"{pair}-0"] == story_of[f"{pair}-1"]]
    if show:
        _show_errors(reports, pairs, joined)
    return {
        "same": sum(pair.startswith("same") for pair in joined),
        "other": sum(pair.startswith("other") for pair in joined),
        "mixed": sum(
            any(
                story_of[report.id] == story_of[other.id]
                and report.id.rpartition("-")[0] != other.id.rpartition("-")[0]
                for other in reports
            )
            for report in reports
        ),
    }


def _show_errors(reports: Sequence[Document], pairs: Sequence[str], joined: Sequence[str]) -> None:
    titles = {report.id: report.title for report in reports}
    for pair in pairs:
        if (pair in joined) != pair.startswith("same"):
            print(f"{pair}: {titles[pair + '-0']} | {titles[pair + '-1']}")


if __name__ == "__main__":
    main()
