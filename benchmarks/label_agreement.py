"""Procedures: how far two people who know only the contract agree on the fields of a page, and the reader with each of them:
`python -m benchmarks.label_agreement`. The second labels (`benchmarks/second_labels`) were written from the pages of a batch alone, without
the labels of its author. What both write apart from each other is no convention of one of them, and where they differ no reader can be right
for both."""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import yaml

from benchmarks.first_contact import judged, read_batch
from benchmarks.procedures import documents_with_files, ratio, score

FOLDER = Path(__file__).resolve().parent / "second_labels"


def measure(batch):
    counts, fields = defaultdict(Counter), defaultdict(Counter)
    for page, optional in read_batch(batch, as_written=True):
        if not page.truth:
            continue
        second = yaml.safe_load((FOLDER / f"{page.path}.yaml").read_text(encoding="utf-8"))
        optional_to_second = frozenset(second.get("optional") or ())
        documents, _ = documents_with_files(page)
        document = documents[0] if documents else {}
        for name, values, truth, open_fields in (
            ("second person against author", second, page.truth, optional),
            ("reader against author", document, page.truth, optional),
            ("reader against second person", document, second, optional_to_second),
        ):
            for field, (hits, have, want, *_) in score(judged(values, truth, open_fields), truth).items():
                counts[name].update(hits=hits, have=have, want=want)
                fields[name, field].update(hits=hits, have=have, want=want)
    differing = {
        field: rates(field_counts)
        for (name, field), field_counts in fields.items()
        if name.startswith("second") and field_counts["hits"] < field_counts["want"]
    }
    return {
        "batch": batch,
        **{name: rates(of_name) for name, of_name in counts.items()},
        "differing": differing,
    }


def rates(counts):
    return [round(ratio(counts["hits"], counts["have"]), 4), round(ratio(counts["hits"], counts["want"]), 4)]


def main() -> int:
    for batch in sorted(folder.name for folder in FOLDER.iterdir()):
        print(json.dumps(measure(batch), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
