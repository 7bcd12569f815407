"""Procedures: what the reader makes of whole batches of pages that were written before it saw them, field by field."""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.procedures import ratio, read_made, score

FOLDER = Path(__file__).resolve().parent / "portals"
MEDIA = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".odt": "application/vnd.oasis.opendocument.text",
}
UNSAID = ("ccaa", "provincia")
"""Parts of a territory that a page need not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as a portal sends it; `truth` is empty for one that is no procedure."""

    url: str
    path: str
    body: bytes
    media_type: str
    template: str
    truth: dict


def batches():
    return sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())


def read_batch(batch):
    """(page, the fields that may be there or not) of each page of a batch."""
    for note in sorted((FOLDER / batch).glob("*.yaml")):
        told = yaml.safe_load(note.read_text(encoding="utf-8"))
        body = next(path for path in sorted(note.parent.glob(f"{note.stem}.*")) if path.suffix in MEDIA)
        yield (
            Page(
                url=told["url"],
                path=f"{batch}/{note.stem}",
                body=body.read_bytes(),
                media_type=MEDIA[body.suffix],
                template=told["template"],
                truth=told.get("truth") or {},
            ),
            frozenset(told.get("optional", ())),
        )


def _judged(document, truth, optional):
    """The document without what the truth leaves open."""
    kept = {name: value for name, value in document.items() if name in truth or name not in optional}
    territory = kept.get("territorio")
    if isinstance(territory, dict):
        wanted = truth.get("territorio", {})
        kept["territorio"] = {
            name: value for name, value in territory.items() if name in wanted or name not in UNSAID
        }
    return kept


def measure_batch(batch, *, verbose=False):
    total, templates, missing, false = Counter(), {}, 0, 0
    pages = list(read_batch(batch))
    for page, optional in pages:
        found = read_made(page)
        if not page.truth:
            false += bool(found)
            continue
        missing += not found
        document = _judged(found[0].document if found else {}, page.truth, optional)
        for field, (hits, have, want, wrong, left) in score(document, page.truth).items():
            counted = Counter(hits=hits, have=have, want=want)
            total += counted
            templates.setdefault(page.template, Counter()).update(counted)
            if verbose and (wrong or left):
                print(f"{page.path} {field}\n   wrong {wrong}\n   left  {left}")
    return {
        "batch": batch,
        "pages": len(pages),
        "precision": round(ratio(total["hits"], total["have"]), 4),
        "recall": round(ratio(total["hits"], total["want"]), 4),
        "missing": missing,
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
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")] or batches()
    for batch in chosen:
        print(json.dumps(measure_batch(batch, verbose="-v" in sys.argv), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
