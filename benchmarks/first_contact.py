"""Procedures: fields extracted from batches of pages that the rules were not written with."""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.procedures import documents_with_files, ratio, score

FOLDER = Path(__file__).resolve().parent / "portals"
MEDIA = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".odt": "application/vnd.oasis.opendocument.text",
}
# Parts of a territory that a page need not state.
OPTIONAL_PARTS = ("ccaa", "provincia")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as a portal sends it; `truth` is empty where it does not describe a procedure."""

    url: str
    path: str
    body: bytes
    media_type: str
    template: str
    truth: dict


def batches():
    return sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())


def read_batch(batch):
    """(page, its optional fields) for each page of a batch."""
    for note in sorted((FOLDER / batch).glob("*.yaml")):
        labels = yaml.safe_load(note.read_text(encoding="utf-8"))
        body = next(path for path in sorted(note.parent.glob(f"{note.stem}.*")) if path.suffix in MEDIA)
        yield (
            Page(
                url=labels["url"],
                path=f"{batch}/{note.stem}",
                body=body.read_bytes(),
                media_type=MEDIA[body.suffix],
                template=labels["template"],
                truth=labels.get("truth") or {},
            ),
            frozenset(labels.get("optional", ())),
        )


def _judged(document, truth, optional):
    """The document without fields that the truth leaves open."""
    judged = {name: value for name, value in document.items() if name in truth or name not in optional}
    territory = judged.get("territorio")
    if isinstance(territory, dict):
        true_territory = truth.get("territorio", {})
        judged["territorio"] = {
            name: value
            for name, value in territory.items()
            if name in true_territory or name not in OPTIONAL_PARTS
        }
    return judged


def measure_batch(batch, *, verbose=False):
    total, templates, missing, short, false = Counter(), {}, [], [], []
    pages = list(read_batch(batch))
    for page, optional in pages:
        documents, reasons = documents_with_files(page)
        if not page.truth:
            false += [page.path] if documents else []
            continue
        if reasons == ["too_few_words"]:
            short.append(page.path)  # the contract wants at least 50 words
            continue
        missing += [] if documents else [f"{page.path}: {', '.join(reasons)}"]
        document = _judged(documents[0] if documents else {}, page.truth, optional)
        for field, (hits, have, want, wrong, unmatched) in score(document, page.truth).items():
            field_counts = Counter(hits=hits, have=have, want=want)
            total += field_counts
            templates.setdefault(page.template, Counter()).update(field_counts)
            if verbose and (wrong or unmatched):
                print(f"{page.path} {field}\n   wrong {wrong}\n   left  {unmatched}")
    return {
        "batch": batch,
        "pages": len(pages),
        "precision": round(ratio(total["hits"], total["have"]), 4),
        "recall": round(ratio(total["hits"], total["want"]), 4),
        "no_file": missing,
        "too_short": short,
        "false_procedures": false,
        "templates": {
            name: [
                round(ratio(counts["hits"], counts["have"]), 3),
                round(ratio(counts["hits"], counts["want"]), 3),
            ]
            for name, counts in sorted(templates.items())
        },
    }


def main() -> int:
    names = [word for word in sys.argv[1:] if not word.startswith("-")] or batches()
    for batch in names:
        print(json.dumps(measure_batch(batch, verbose="-v" in sys.argv), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
