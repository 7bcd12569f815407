"""Trains the section classifier of procedures: `python -m training.sections`. Needs NumPy and SciPy.

Examples are sections that the rules labelled in our own pages (`benchmarks/portals` and the demo), or the truth where a heading is
unknown; each under its own heading and under others (`section_headings.py`); and sections of pages that are no procedures. A fifth of the pages and of the headings is
held out for the report; the exported weights are trained on all but the batches in `NOT_LEARNED`."""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.first_contact import read_batch
from benchmarks.procedures import leaves
from scipy.sparse import csr_matrix

from headwater.model.outcomes import ExtractHints, Reading
from headwater_demo.procedures.portal_pages import (
    first_unseen_pages,
    pages_without_procedure,
    procedure_pages,
    second_unseen_pages,
    third_unseen_pages,
)
from headwater_recipes.procedures.normalise import parts_by_rules
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.sections.classifier import CLASSES, MODEL, section_features
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.standalone import page_from
from training.section_bodies import TEXTS, composed_bodies
from training.section_headings import headings

BATCHES = [*(f"batch-{number}" for number in range(1, 28)), "none"]
BLIND = tuple(f"batch-{number}" for number in range(21, 28))
"""By authors who knew neither the rules nor the vocabulary."""
DEMO, COMPOSED, COMPOSED_PAGE, COMPOSED_EACH = "demo", "composed", -1, 40
NOT_LEARNED = frozenset({"batch-26", "batch-27"})
"""The exported classifiers of sections and of pages have not learned from these: with them two single pages were read worse, and the
batches no better on the whole."""
FOLDS, OTHER_HEADINGS, EPOCHS, RATE, DECAY = 5, 3, 100, 0.05, 3e-4
KEYED = {"plazos": {"solicitud", "resolucion", "silencio_administrativo", "recurso"}}
THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page `page` of a batch; `name` is its class."""

    page: int
    batch: str
    language: str
    name: str
    title: str
    lines: tuple[SectionLine, ...]


def say(*values: object) -> None:
    sys.stdout.write(" ".join(map(str, values)) + "\n")


def class_of(part: PagePart) -> str:
    if part.label is None or part.field == "ignored":
        return "other"
    name = f"{part.field}.{part.key}" if part.field in KEYED else part.field
    return name if name in CLASSES else "plazos.solicitud" if part.field == "plazos" and not part.key else ""


def class_by_truth(part: PagePart, truth: Mapping[str, Any]) -> str:
    """The class of a section without a known heading, by the true field that has its text; for pages in other words."""
    for field in truth.keys() & {name.partition(".")[0] for name in CLASSES}:
        texts = [
            (path, text) for path, text in leaves(truth[field]) if text in part.text or part.text in text
        ]
        if texts:
            key = texts[0][0].strip(".") if field in KEYED else ""
            name = f"{field}.{key}" if key else field
            return name if name in CLASSES else ""
    return "other"


def labelled_sections() -> Iterator[Section]:
    """Every section of our pages, with its class."""
    demo = [
        *procedure_pages(), *first_unseen_pages()[::3], *second_unseen_pages()[::2], *third_unseen_pages()[::3],
        *pages_without_procedure(),
    ]  # fmt: skip
    pages = [(DEMO, page) for page in demo]
    pages += [(batch, page) for batch in BATCHES for page, _ in read_batch(batch)]
    for number, (batch, page) in enumerate(pages):
        reading = read_procedure(page.body, ExtractHints(url=page.url, media_type=page.media_type))
        if not isinstance(reading, Reading):
            continue
        language = page_from(reading, page.url).language
        for part in parts_by_rules(reading.text):
            if not _is_example(part):
                continue
            name = "other"
            if page.truth:
                name = class_of(part) if part.label else class_by_truth(part, page.truth)
            if name:
                yield Section(number, batch, language, name, part.title, part.lines)


def _is_example(part: PagePart) -> bool:
    return bool(part.lines and part.title and part.level != 1 and (part.own or part.label is None))


def composed_sections(count: int = COMPOSED_EACH) -> Iterator[Section]:
    """`count` sections of our own text for each class and language, under headings in other words. They belong to no page: the order of
    sections is learned from real ones."""
    rng = random.Random(11)  # noqa: S311 - the same sections every time
    for name, by_language in TEXTS.items():
        for language in by_language:
            for lines in composed_bodies(name, language, count, rng):
                title = rng.choice(headings(name, language))
                yield Section(COMPOSED_PAGE, COMPOSED, language, name, title, lines)


def held_out(heading: str, fold: int) -> bool:
    return sum(heading.encode()) % FOLDS == fold


def examples(sections: Sequence[Section], fold: int | None, *, test: bool) -> tuple[csr_matrix, np.ndarray]:
    """Rows and classes. Without a fold all sections and headings; else the training or the test part."""
    rng = random.Random(7)  # noqa: S311 - the same examples every time
    rows: list[np.ndarray] = []
    targets: list[int] = []
    for section in sections:
        if section.batch == COMPOSED:
            in_this_part = not test
        else:
            in_this_part = fold is None or (section.page % FOLDS == fold) == test
        if not in_this_part:
            continue
        choices = [
            text
            for text in headings(section.name, section.language)
            if fold is None or held_out(text, fold) == test
        ]
        chosen = rng.sample(choices, min(OTHER_HEADINGS, len(choices)))
        for heading in chosen if test else [section.title, *chosen]:
            rows.append(section_features(heading, section.lines))
            targets.append(CLASSES.index(section.name))
    return csr_matrix(np.array(rows, dtype=np.float32)), np.array(targets)


def fit(rows: csr_matrix, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Multinomial logistic regression by Adam, with classes weighted by the root of their size."""
    counts = np.bincount(targets, minlength=len(CLASSES))
    weight = (1 / np.sqrt(np.maximum(counts, 1)))[targets]
    weight = weight / weight.mean()
    weights, bias = np.zeros((rows.shape[1], len(CLASSES)), np.float32), np.zeros(len(CLASSES), np.float32)
    state = [np.zeros_like(array) for array in (weights, weights, bias, bias)]
    truth_rows = np.eye(len(CLASSES), dtype=np.float32)[targets]
    for step in range(1, EPOCHS + 1):
        difference = (shares(rows, weights, bias) - truth_rows) * weight[:, None] / rows.shape[0]
        slopes = (rows.T @ difference + DECAY * weights, difference.sum(0))
        for place, (array, slope) in enumerate(zip((weights, bias), slopes, strict=True)):
            first, second = state[2 * place], state[2 * place + 1]
            first += 0.1 * (slope - first)
            second += 0.001 * (slope**2 - second)
            array[...] = array - RATE * (first / (1 - 0.9**step)) / (
                np.sqrt(second / (1 - 0.999**step)) + 1e-8
            )
    return weights, bias


def shares(rows: csr_matrix, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    scores = rows @ weights + bias
    exponents = np.exp(scores - scores.max(1, keepdims=True))
    return exponents / exponents.sum(1, keepdims=True)


def report(probabilities: np.ndarray, targets: np.ndarray) -> None:
    best, sure = probabilities.argmax(1), probabilities.max(1)
    other = CLASSES.index("other")
    for threshold in THRESHOLDS:
        placed = (sure >= threshold) & (best != other)
        right = placed & (best == targets)
        truth_rows = targets != other
        say(
            f"threshold {threshold:.1f}: precision {right.sum() / max(1, placed.sum()):.3f}, recall {right.sum() / truth_rows.sum():.3f}"
        )
    mistakes = Counter((CLASSES[t], CLASSES[b]) for t, b in zip(targets, best, strict=True) if t != b)
    say("most frequent mistakes:", mistakes.most_common(8))


def train(sections: Sequence[Section], target: Path) -> None:
    """Trains on all sections and writes the model."""
    weights, bias = fit(*examples(sections, None, test=False))
    np.savez_compressed(target, weights=weights.astype(np.float16), bias=bias.astype(np.float16))


def main() -> None:
    sections = [*labelled_sections(), *composed_sections()]
    say(len(sections), "sections", Counter(section.name for section in sections).most_common())
    probabilities: list[np.ndarray] = []
    truths: list[np.ndarray] = []
    for fold in range(FOLDS):
        weights, bias = fit(*examples(sections, fold, test=False))
        rows, targets = examples(sections, fold, test=True)
        probabilities.append(shares(rows, weights, bias))
        truths.append(targets)
    report(np.concatenate(probabilities), np.concatenate(truths))
    train([section for section in sections if section.batch not in NOT_LEARNED], MODEL)
    say(f"{MODEL.name}: {MODEL.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
