"""Procedures: fields extracted from batches of pages that the rules were not written with: `python -m benchmarks.first_contact
[BATCH...] [-v] [--as-written]`. With --as-written, fields are compared with the labels exactly as the author of the batch wrote
them, also where the author follows other conventions than ours."""

import json
import sys
from collections import Counter, defaultdict
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
    reworded: bool = False


def batches():
    return sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())


def read_batch(batch, *, as_written=False):
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
                truth={
                    **(labels.get("truth") or {}),
                    **({} if as_written else labels.get("our_conventions", {})),
                },
                reworded=bool(labels.get("reworded")),
            ),
            frozenset(labels.get("optional", ())),
        )


def judged(document, truth, optional):
    """The document without fields that the truth leaves open."""
    judged = {name: value for name, value in document.items() if name in truth or name not in optional}
    territory = judged.get("territorio")
    if isinstance(territory, dict):
        true_territory = truth.get("territorio", {})
        judged["territorio"] = {
            name: value
            for name, value in territory.items()
            if name in true_territory or name not in (*OPTIONAL_PARTS, *optional)
        }
    return judged


def measure_batch(batch, *, verbose=False, as_written=False):
    total, groups, missing, short, false = Counter(), defaultdict(Counter), [], [], []
    pages = list(read_batch(batch, as_written=as_written))
    for page, optional in pages:
        documents, reasons = documents_with_files(page)
        if not page.truth:
            false += [page.path] if documents else []
            continue
        if reasons == ["too_few_words"]:
            short.append(page.path)  # the contract wants at least 50 words
            continue
        missing += [] if documents else [f"{page.path}: {', '.join(reasons)}"]
        document = judged(documents[0] if documents else {}, page.truth, optional)
        for field, (hits, have, want, wrong, unmatched) in score(document, page.truth).items():
            field_counts = Counter(hits=hits, have=have, want=want)
            total += field_counts
            for group in (
                ("templates", page.template),
                ("languages", page.truth.get("idioma", "")),
                ("wording", "reworded" if page.reworded else "usual"),
                ("fields", field),
            ):
                groups[group].update(field_counts)
            if verbose and (wrong or unmatched):
                print(f"{page.path} {field}\n   wrong {wrong}\n   left  {unmatched}")
    return {
        "batch": batch,
        "pages": len(pages),
        "precision": round(ratio(total["hits"], total["have"]), 4),
        "recall": round(ratio(total["hits"], total["want"]), 4),
        "counts": dict(total),
        "no_file": missing,
        "too_short": short,
        "false_procedures": false,
        **{kind: _rates(groups, kind) for kind in ("templates", "languages", "wording", "fields")},
    }


def _rates(groups, kind):
    """Precision and recall of the groups of one kind."""
    return {
        name: [
            round(ratio(counts["hits"], counts["have"]), 3),
            round(ratio(counts["hits"], counts["want"]), 3),
        ]
        for (group, name), counts in sorted(groups.items())
        if group == kind
    }


def main() -> int:
    names = [word for word in sys.argv[1:] if not word.startswith("-")] or batches()
    for batch in names:
        figures = measure_batch(batch, verbose="-v" in sys.argv, as_written="--as-written" in sys.argv)
        print(json.dumps(figures, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
