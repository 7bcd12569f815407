"""Pages of portals in many templates, read as a person reads them, without invented content."""

import re
from typing import Any

import pytest
from benchmarks.first_contact import batches, measure_batch, read_batch
from benchmarks.procedures import read_page, reading_of

from headwater.model.outcomes import Reading
from headwater_recipes.procedures.standalone import page_from, procedures_from

NONE = "none"
AIM = (0.95, 0.90)
# By authors who knew neither the rules nor the vocabulary, measured as they wrote them and still below the aim. These floors only
# keep them from getting worse. The authors of 22, 24 and 28 to 30 list a sentence with two ways to apply under each, which we divide.
BELOW_THE_AIM = {
    "batch-23": (0.88, 0.845),
    "batch-24": (0.925, 0.89),
    "batch-25": (0.89, 0.885),
    # Its author writes the terms of a paragraph without keys, and streets without their offices.
    "batch-26": (0.935, 0.9),
    "batch-27": (0.9, 0.86),
    "batch-28": (0.93, 0.88),
    "batch-29": (0.9, 0.86),
    "batch-30": (0.91, 0.85),
    "batch-31": (0.91, 0.9),
    "batch-32": (0.93, 0.82),
    "batch-33": (0.91, 0.89),
    "batch-34": (0.92, 0.9),
    "batch-35": (0.93, 0.9),
    "batch-37": (0.94, 0.92),
    "batch-39": (0.935, 0.93),
}
WORD = re.compile(r"\w+")
QUOTED = (
    "descripcion", "requisitos", "documentos_necesarios", "plazos", "cuantias", "base_legal", "como_solicitar",
    "datos_importantes",
)  # fmt: skip


@pytest.mark.parametrize("batch", [batch_name for batch_name in batches() if batch_name != NONE])
def test_p16_fields_of_every_batch_keep_the_aim_or_their_own_floor_and_every_word_occurs_in_the_text_it_was_read_from(
    batch: str,
):
    """One test for both, because reading the pages costs most."""
    figures = measure_batch(batch)
    precision, recall = BELOW_THE_AIM.get(batch, AIM)
    assert figures["precision"] >= precision
    assert figures["recall"] >= recall
    assert _invented(batch) == []


def test_p6_other_pages_have_no_procedures():
    pages = [page for page, _ in read_batch(NONE)]
    assert len(pages) >= 20
    assert [page.path for page in pages if read_page(page)] == []


def _invented(batch: str) -> list[tuple[str, str, str]]:
    invented = []
    for page, _ in read_batch(batch):
        reading = reading_of(page.body, page.url, page.media_type)
        assert isinstance(reading, Reading)
        text = page_from(reading, page.url).text
        for procedure in procedures_from(reading, page.url):
            for name in QUOTED:
                evidence = _words("\n".join(text[start:end] for start, end in procedure.spans.get(name, ())))
                value_words = _words(" ".join(_leaves(procedure.document.get(name))))
                invented += [(page.path, name, word) for word in value_words - evidence]
            footer = str(reading.attributes.get("site", {}).get("footer", ""))
            stated = str(reading.attributes.get("linked_data", {}))
            searched = f"{text} {footer} {stated}".replace("\u00a0", " ")
            numbers = str(procedure.document.get("telefono", "")).split(" / ")
            invented += [(page.path, "telefono", number) for number in numbers if number not in searched]
    return invented


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        inner_values = {name: inner for name, inner in value.items() if name != "via"}
        return [leaf for inner in inner_values.values() for leaf in _leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [str(value)] if value else []
