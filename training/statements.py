"""Trains the classifier of single sentences of procedures: `python -m training.statements`. Needs NumPy and SciPy. Run it after
`training.word_meaning`.

Examples are the sentences and list items of our own pages (`benchmarks/portals`). The labels of a page say what a sentence is: a
sentence in a value of a field, or around one, belongs to that field; any other to none. Each is trained under its heading and
without one, so that plain prose is understood as well. Few of our pages are prose: others are composed (`section_prose.py`)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.first_contact import read_batch
from benchmarks.procedures import leaves
from scipy.sparse import csr_matrix, vstack

from headwater.model.outcomes import ExtractHints, Reading
from headwater.text.folding import fold_text
from headwater_recipes.procedures.normalise import parts_by_rules
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.sections.by_form import says_free
from headwater_recipes.procedures.sections.classifier import CLASSES
from headwater_recipes.procedures.sections.parts import SectionLine
from headwater_recipes.procedures.sections.statements import MODEL, statement_rows, statements_in
from training.section_prose import prose_pages
from training.sections import BATCHES, BLIND, COMPOSED, fit, report, say, shares

FEWEST_WORDS, FREE, PROSE_EACH = 2, "Gratuito", 40
TERMS = frozenset(name.partition(".")[2] for name in CLASSES if name.startswith("plazos."))
ORDER = (
    "requisitos", "documentos_necesarios", "plazos", "tasas", "cuantias", "base_legal", "como_solicitar",
    "datos_importantes", "descripcion", "donde_solicitar", "organismo", "telefono",
)  # fmt: skip
CLASS_OF_FIELD = {"telefono": "contacto"}


@dataclass(frozen=True, slots=True)
class StatementGroup:
    """The statements of one section of a page, with the class of each; empty for those that teach nothing."""

    batch: str
    title: str
    lines: tuple[SectionLine, ...]
    names: tuple[str, ...]


def statement_groups() -> Iterator[StatementGroup]:
    for batch in BATCHES:
        for page, _ in read_batch(batch, as_written=True):
            reading = read_procedure(page.body, ExtractHints(url=page.url, media_type=page.media_type))
            if not isinstance(reading, Reading):
                continue
            values = list(values_of_truth(page.truth))
            for part in parts_by_rules(reading.text):
                lines = tuple(
                    statement for line in part.lines for statement in statements_in(line, reading.text)
                )
                names = tuple(class_by_values(line.text, values) for line in lines)
                if lines:
                    yield StatementGroup(batch, part.title, lines, names)
    for lines, names in prose_pages(PROSE_EACH):
        yield StatementGroup(COMPOSED, "", lines, names)


def values_of_truth(truth: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(class, folded value) of every value of a page that a sentence may hold."""
    for field in ORDER:
        for path, text in leaves(truth.get(field)):
            name = CLASS_OF_FIELD.get(field, field)
            if field == "plazos":
                term = path.strip(".") or "solicitud"
                name = f"plazos.{term}" if term in TERMS else ""
            if name == "donde_solicitar" and path != ".direcciones":
                continue
            yield name, FREE if text == FREE else fold_text(text)


def class_by_values(text: str, values: Sequence[tuple[str, str]]) -> str:
    """The class of the value with which the sentence has most words in common, one within the other."""
    folded = fold_text(text)
    best, most = "other", 0
    for name, value in values:
        if value == FREE:
            common = len(folded.split()) if says_free(folded) else 0
        elif folded in value or value in folded:
            common = min(len(folded.split()), len(value.split()))
        else:
            common = 0
        if common >= min(FEWEST_WORDS, len(folded.split())) and common > most:
            best, most = name, common
    return best


def rows_of(groups: Sequence[StatementGroup], *, titled: bool) -> tuple[csr_matrix, np.ndarray]:
    blocks, targets = [], []
    for group in groups:
        rows = statement_rows(group.title if titled else "", group.lines)
        for row, name in zip(rows, group.names, strict=True):
            if name:
                blocks.append(csr_matrix(row))
                targets.append(CLASSES.index(name))
    return vstack(blocks).tocsr(), np.array(targets)


def train(groups: Sequence[StatementGroup], target: Path) -> None:
    titled = rows_of([group for group in groups if group.title], titled=True)
    plain = rows_of(groups, titled=False)
    weights, bias = fit(vstack([titled[0], plain[0]]).tocsr(), np.concatenate([titled[1], plain[1]]))
    np.savez_compressed(target, weights=weights.astype(np.float16), bias=bias.astype(np.float16))


def main() -> None:
    groups = list(statement_groups())
    say(sum(map(len, (group.lines for group in groups))), "statements")
    say(Counter(name for group in groups for name in group.names).most_common())
    matrices = {
        titled: [
            (group.batch, *rows_of([group], titled=titled))
            for group in groups
            if any(group.names) and (group.title or not titled)
        ]
        for titled in (True, False)
    }
    results: dict[bool, list[tuple[np.ndarray, np.ndarray]]] = {True: [], False: []}
    for batch in BLIND:
        others = [pair for block in matrices.values() for name, *pair in block if name != batch]
        weights, bias = fit(
            vstack([rows for rows, _ in others]).tocsr(), np.concatenate([t for _, t in others])
        )
        for titled, block in matrices.items():
            for name, rows, targets in block:
                if name == batch:
                    results[titled].append((shares(rows, weights, bias), targets))
    for titled, pairs in results.items():
        say("under their headings" if titled else "without headings")
        report(np.concatenate([rows for rows, _ in pairs]), np.concatenate([targets for _, targets in pairs]))
    train(groups, MODEL)
    say(f"{MODEL.name}: {MODEL.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
