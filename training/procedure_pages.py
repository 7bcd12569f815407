"""Trains the classifier of pages, procedures or not: `python -m training.procedure_pages`. Prints, for each batch that is held
out, what a classifier that has not seen it says of its pages; the exported weights are trained on all but `NOT_LEARNED`. Run it after
`training.sections`, whose classifier gives the shares of sections."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks.first_contact import read_batch
from scipy.optimize import minimize

from headwater.model.outcomes import ExtractHints, Reading
from headwater_demo.procedures.portal_pages import pages_without_procedure, procedure_pages
from headwater_recipes.procedures.detection import is_procedure
from headwater_recipes.procedures.likelihood import MODEL, page_features
from headwater_recipes.procedures.normalise import page_title, parts_of
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.standalone import page_from
from training.sections import BATCHES, BLIND, DEMO, NOT_LEARNED, say

DECAY, WEIGHT_OF_OTHERS, STEPS = 0.002, 3.0, 200
THRESHOLDS = (0.35, 0.5, 0.6, 0.7, 0.8)
SHARES = (0.6, 0.3)
"""Of the sections of a page, in the shorter pages made of it."""


@dataclass(frozen=True)
class JudgedPage:
    batch: str
    path: str
    is_procedure: bool
    features: np.ndarray
    whole: bool


@dataclass(frozen=True)
class ReadPage:
    batch: str
    path: str
    is_procedure: bool
    content: ProcedurePage


def read_pages() -> Iterator[ReadPage]:
    pages = [(batch, page) for batch in BATCHES for page, _ in read_batch(batch)]
    pages += [(DEMO, page) for page in (*procedure_pages(), *pages_without_procedure())]
    for batch, page in pages:
        reading = read_procedure(page.body, ExtractHints(url=page.url, media_type=page.media_type))
        if isinstance(reading, Reading):
            yield ReadPage(batch, page.path, bool(page.truth), page_from(reading, page.url))


def judged(page: ReadPage) -> Iterator[JudgedPage]:
    """The page, and shorter ones with some of its sections, as the present section classifier reads them."""
    parts = parts_of(page.content.text)
    title = page_title(parts, page.content)
    rng = random.Random(page.path)  # noqa: S311 - the same pages every time
    shorter = [[part for part in parts if part.level <= 1 or rng.random() < share] for share in SHARES]
    for number, some in enumerate([parts, *shorter]):
        if number == 0 or not page.is_procedure or is_procedure(some):
            features = page_features(some, title, page.content.url)
            yield JudgedPage(page.batch, page.path, page.is_procedure, features, whole=number == 0)


def fit(pages: Sequence[JudgedPage]) -> tuple[np.ndarray, float]:
    """Logistic regression; a page that is none weighs more, because there are fewer of them."""
    rows = np.array([page.features for page in pages], dtype=float)
    answers = np.array([page.is_procedure for page in pages], dtype=float)
    weight = np.where(answers > 0, 1.0, WEIGHT_OF_OTHERS) / len(pages)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        scores = rows @ values[:-1] + values[-1]
        errors = weight * (1 / (1 + np.exp(-scores)) - answers)
        cost = weight @ (np.logaddexp(0, scores) - answers * scores) + DECAY / 2 * values[:-1] @ values[:-1]
        return float(cost), np.append(rows.T @ errors + DECAY * values[:-1], errors.sum())

    start = np.zeros(rows.shape[1] + 1)
    values = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return values[:-1], float(values[-1])


def report(pages: Sequence[JudgedPage]) -> None:
    """Precision and recall over the whole pages of the batches, each with a classifier that has not seen its batch."""
    answers: list[bool] = []
    likelihoods: list[float] = []
    for batch in BLIND:
        weights, bias = fit([page for page in pages if page.batch != batch])
        for page in (page for page in pages if page.batch == batch and page.whole):
            answers.append(page.is_procedure)
            likelihoods.append(float(1 / (1 + np.exp(-(page.features @ weights + bias)))))
    truth, scores = np.array(answers), np.array(likelihoods)
    for threshold in THRESHOLDS:
        likely = scores >= threshold
        hits = (likely & truth).sum()
        say(f"threshold {threshold}: precision {hits / likely.sum():.3f}, recall {hits / truth.sum():.3f}")


def train(pages: Sequence[JudgedPage], target: Path) -> None:
    weights, bias = fit(pages)
    np.savez_compressed(target, weights=weights.astype(np.float16), bias=np.float32(bias))


def main() -> None:
    pages = [judged_page for page in read_pages() for judged_page in judged(page)]
    whole = [page for page in pages if page.whole]
    say(
        len(whole),
        "pages,",
        sum(page.is_procedure for page in whole),
        "procedures,",
        len(pages),
        "with shorter ones",
    )
    report(pages)
    train([page for page in pages if page.batch not in NOT_LEARNED], MODEL)


if __name__ == "__main__":
    main()
