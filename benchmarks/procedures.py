"""Procedures: fields read from the demo's portals against the truth, as precision and recall per field and template."""

import json
import re
import sys
from collections import Counter, defaultdict
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.model.document import Document
from headwater.model.outcomes import ExtractHints, Reading
from headwater_demo.procedures.portal_pages import (
    PortalPage,
    first_unseen_pages,
    pages_without_procedure,
    procedure_pages,
    second_unseen_pages,
    third_unseen_pages,
)
from headwater_recipes.procedures.definition import build_recipe
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.standalone import procedures_from
from headwater_recipes.procedures.steps import PROCEDURES, REVIEW

FIELDS = (
    "nombre", "descripcion", "organismo", "idioma", "source_type", "territorio", "requisitos", "documentos_necesarios", "plazos",
    "tasas", "cuantias", "base_legal", "como_solicitar", "donde_solicitar", "telefono", "canal", "datos_importantes",
)  # fmt: skip
ALIKE, MOST_READINGS = 0.85, 64


def leaves(value, path=""):
    """(key, text) of every text in a value; positions in a list do not count, keys of an object do."""
    if isinstance(value, dict):
        if set(value) == {"via", "detalle"}:
            return [(f"{path}.{value['via']}", value["detalle"])]
        return [leaf for name, inner in value.items() for leaf in leaves(inner, f"{path}.{name}")]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner, path)]
    return [(path, str(value))] if value not in (None, "") else []


def alike(first, second):
    if first[0] != second[0]:
        return False
    a, b = Counter(re.findall(r"\w+", first[1].lower())), Counter(re.findall(r"\w+", second[1].lower()))
    common = sum((a & b).values())
    return 2 * common / max(1, sum(a.values()) + sum(b.values())) >= ALIKE


def score(document, truth):
    """(matched, extracted, expected, wrong, missing) per field."""
    counts = {}
    for field in FIELDS:
        have, want = leaves(document.get(field)), leaves(truth.get(field))
        unmatched = list(want)
        hits = 0
        for leaf in have:
            match = next((candidate for candidate in unmatched if alike(leaf, candidate)), None)
            if match is not None:
                unmatched.remove(match)
                hits += 1
        counts[field] = (
            hits,
            len(have),
            len(want),
            [h for h in have if not any(alike(h, w) for w in want)],
            unmatched,
        )
    return counts


@lru_cache(maxsize=MOST_READINGS)
def reading_of(body, url, media_type):
    """What the reader makes of a page; kept for the pages of one batch."""
    return read_procedure(body, ExtractHints(url=url, media_type=media_type))


def read_page(page: PortalPage):
    reading = reading_of(page.body, page.url, page.media_type)
    if not isinstance(reading, Reading):
        return []
    return procedures_from(reading, page.url)


def documents_with_files(page: PortalPage):
    """The documents that the recipe would write to files, after all its steps, and why the others get no file."""
    reading = reading_of(page.body, page.url, page.media_type)
    if not isinstance(reading, Reading):
        return [], [reading.reason]
    outcome = Document(
        id="document", recipe="procedures", source="source", lead="lead", url=page.url, text=reading.text, title=reading.title,
        description=reading.description, language=reading.language, media_type=reading.media_type,
        attributes=reading.attributes, origins=reading.origins,
    )  # fmt: skip
    for step in build_recipe().steps:
        if not isinstance(step, DropExactDuplicates):
            (outcome,) = step([outcome], None)
        if not isinstance(outcome, Document):
            return [], [outcome.reason]
    reasons = list(outcome.attributes[REVIEW])
    return ([] if reasons else [record["document"] for record in outcome.attributes[PROCEDURES]]), reasons


def ratio(part, total):
    return part / total if total else 1.0


def measure(pages, *, verbose=False):
    by_field, by_template = defaultdict(Counter), defaultdict(Counter)
    full = missing = extra = 0
    for page in pages:
        readings = read_page(page)
        if not page.truth:
            extra += bool(readings)
            continue
        missing += not readings
        document = readings[0].document if readings else {}
        full += document.get("completeness_score", 0) >= 0.70
        for field, (hits, have, want, wrong, unmatched) in score(document, page.truth).items():
            by_field[field].update(hits=hits, have=have, want=want)
            by_template[page.template].update(hits=hits, have=have, want=want)
            if verbose and (wrong or unmatched):
                print(f"{page.path} {field}\n   wrong {wrong}\n   left  {unmatched}")
    total = sum(by_field.values(), Counter())
    procedures = sum(bool(page.truth) for page in pages)
    return {
        "pages": procedures,
        "precision": round(ratio(total["hits"], total["have"]), 4),
        "recall": round(ratio(total["hits"], total["want"]), 4),
        "missing": missing,
        "false_procedures": extra,
        "no_procedures": len(pages) - procedures,
        "complete_share": round(full / max(1, procedures), 4),
        "fields": {name: _rates(counts) for name, counts in by_field.items()},
        "templates": {name: _rates(counts) for name, counts in sorted(by_template.items())},
    }


def _rates(counts):
    return [round(ratio(counts["hits"], counts["have"]), 3), round(ratio(counts["hits"], counts["want"]), 3)]


def main() -> int:
    figures = measure([*procedure_pages(), *pages_without_procedure()], verbose="-v" in sys.argv)
    unseen = measure(
        [*first_unseen_pages(), *second_unseen_pages(), *third_unseen_pages()], verbose="-v" in sys.argv
    )
    for kind in ("fields", "templates"):
        print(f"{kind:26s} precision  recall")
        for name, (precision, recall) in figures[kind].items():
            print(f"  {name:24s} {precision:9.3f} {recall:7.3f}")
    print(
        f"templates added after the first rules: precision {unseen['precision']:.3f}, recall {unseen['recall']:.3f} {unseen['templates']}"
    )
    print(json.dumps({"benchmark": "procedures", **figures, "late": unseen}))
    return (
        0
        if figures["precision"] >= 0.95 and figures["recall"] >= 0.90 and not figures["false_procedures"]
        else 1
    )


if __name__ == "__main__":
    sys.exit(main())
