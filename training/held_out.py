"""How well whole pages of a batch are read by classifiers that have not seen the batch: `python -m training.held_out
[BATCH...]`, with PyTorch. For each batch the network of statements and the classifiers of sections, of sentences and of pages are trained on all
others; precision and recall are those of `benchmarks.first_contact`, as the authors wrote their labels. The rules are those of today, which were mended with the batches."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from benchmarks.first_contact import measure_batch

from headwater_recipes.procedures import likelihood
from headwater_recipes.procedures.sections import classifier, statement_network
from headwater_recipes.procedures.sections import statements as statement_classifier
from training import procedure_pages, sections, statement_pages, statements
from training.sections import BLIND, composed_sections, labelled_sections, say
from training.statement_network import Examples, fit, write_networks


def read_models_in(folder: Path) -> None:
    """Has the reader use the models in this folder."""
    classifier.MODEL, likelihood.MODEL = folder / "sections.npz", folder / "likelihood.npz"
    statement_classifier.MODEL, statement_network.MODEL = folder / "statements.npz", folder / "network.npz"
    classifier.read_model.cache_clear()
    classifier.section_shares.cache_clear()
    statement_classifier.read_model.cache_clear()
    statement_network.read_networks.cache_clear()
    likelihood.read_weights.cache_clear()


@dataclass(frozen=True)
class LabelledExamples:
    """What the network and each classifier learn from."""

    statements: Examples
    groups: Sequence[statements.StatementGroup]
    sections: Sequence[sections.Section]
    pages: Sequence[procedure_pages.ReadPage]


def hold_out(batch: str, folder: Path, examples: LabelledExamples) -> None:
    """Trains the network and the classifiers without the batch, and has the reader use them."""
    read_models_in(folder)
    learned = [place for place, name in enumerate(examples.statements.arrays["batch"]) if name != batch]
    write_networks([fit(examples.statements, learned, torch.device("cpu"), seed=0)], statement_network.MODEL)
    statements.train([group for group in examples.groups if group.batch != batch], statement_classifier.MODEL)
    sections.train([section for section in examples.sections if section.batch != batch], classifier.MODEL)
    others = [
        judged for page in examples.pages if page.batch != batch for judged in procedure_pages.judged(page)
    ]
    procedure_pages.train(others, likelihood.MODEL)


def _statement_examples() -> Examples:
    with TemporaryDirectory() as folder:
        target = Path(folder, "examples.npz")
        statement_pages.write_examples(statement_pages.labelled_pages(), target)
        with np.load(target) as arrays:
            return Examples(dict(arrays))


def main() -> None:
    examples = LabelledExamples(
        _statement_examples(),
        list(statements.statement_groups()),
        [*labelled_sections(), *composed_sections()],
        list(procedure_pages.read_pages()),
    )
    total: Counter[str] = Counter()
    for batch in sys.argv[1:] or BLIND:
        with TemporaryDirectory() as folder:
            hold_out(batch, Path(folder), examples)
            figures = measure_batch(batch, as_written=True)
        total.update(figures["counts"])
        say(
            batch,
            figures["precision"],
            figures["recall"],
            figures["wording"],
            figures["no_file"],
            figures["false_procedures"],
        )
    say("all", round(total["hits"] / total["have"], 4), round(total["hits"] / total["want"], 4))


if __name__ == "__main__":
    main()
