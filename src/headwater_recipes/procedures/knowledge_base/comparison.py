"""Compares generated files with curated ones about the same procedures: the ground truth that people wrote."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.text.folding import fold_text
from headwater.text.urls import canonical_url
from headwater_recipes.procedures.identity import SKIPPED_WORDS
from headwater_recipes.procedures.retrieval.files import load_documents
from headwater_recipes.procedures.url_rules import PROCEDURE_URL_RULES

FIELDS = (
    "nombre",
    "organismo",
    "descripcion",
    "requisitos",
    "documentos",
    "plazos",
    "como_solicitar",
    "telefono",
    "cuantias",
)
ALIKE, SAME_NAME = 0.5, 0.6
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FieldComparison:
    """How much of a curated field the generated file has. `verdict`: agrees, differs, missing (only the curated file has it) or
    added (only ours has it)."""

    curated: str
    generated: str
    field: str
    verdict: str
    agreement: float


def compare_folders(generated: Path, curated: Path) -> Iterator[FieldComparison]:
    """Every field of every curated file for which there is a generated one: of the same page, else with the same name."""
    ours = list(load_documents(generated))
    for stem, document in load_documents(curated):
        match = _counterpart(document, ours)
        if match is None:
            yield FieldComparison(stem, "", "", "missing", 0.0)
            continue
        for field in FIELDS:
            comparison = _compare(stem, match[0], field, document, match[1])
            if comparison is not None:
                yield comparison


def _counterpart(
    document: Document, candidates: Sequence[tuple[str, Document]]
) -> tuple[str, Document] | None:
    url = _address(document)
    same_page = [pair for pair in candidates if url and _address(pair[1]) == url]
    named = [
        (_overlap(document.get("nombre"), other.get("nombre")), stem, other)
        for stem, other in same_page or candidates
    ]
    best = max(named, key=lambda entry: entry[0], default=None)
    return (best[1], best[2]) if best is not None and (same_page or best[0] >= SAME_NAME) else None


def _address(document: Document) -> str:
    url = str(document.get("fuente_url") or "")
    return canonical_url(url, PROCEDURE_URL_RULES) if url else ""


def _compare(
    curated: str, generated: str, field: str, first: Document, second: Document
) -> FieldComparison | None:
    mine, theirs = first.get(field), second.get(field)
    if not mine and not theirs:
        return None
    if not mine or not theirs:
        return FieldComparison(curated, generated, field, "missing" if mine else "added", 0.0)
    share = _overlap(mine, theirs)
    return FieldComparison(
        curated, generated, field, "agrees" if share >= ALIKE else "differs", round(share, 2)
    )


def _overlap(first: Any, second: Any) -> float:
    """The share of the words of the shorter text that the other one has."""
    one, other = _words(first), _words(second)
    return sum((one & other).values()) / max(1, min(one.total(), other.total()))


def _words(value: Any) -> Counter[str]:
    return Counter(word for word in fold_text(" ".join(_texts(value))).split() if word not in SKIPPED_WORDS)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)
