"""How well whole pages of a batch are read by classifiers that have not seen the batch: `python -m training.held_out
[BATCH...]`. For each batch the classifiers of sections, of sentences and of pages are trained on all others; precision and recall are those of
`benchmarks.first_contact`, as the authors wrote their labels. The rules are those of today, which were mended with the batches."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.first_contact import measure_batch

from headwater_recipes.procedures import likelihood
from headwater_recipes.procedures.sections import classifier
from headwater_recipes.procedures.sections import statements as statement_classifier
from training import procedure_pages, sections, statements
from training.sections import BLIND, composed_sections, labelled_sections, say


def read_models_in(folder: Path) -> None:
    """Has the reader use the models in this folder."""
    classifier.MODEL, likelihood.MODEL = folder / "sections.npz", folder / "likelihood.npz"
    statement_classifier.MODEL = folder / "statements.npz"
    classifier.read_model.cache_clear()
    classifier.section_shares.cache_clear()
    statement_classifier.read_model.cache_clear()
    likelihood.read_weights.cache_clear()


def hold_out(
    batch: str,
    folder: Path,
    examples: Sequence[sections.Section],
    groups: Sequence[statements.StatementGroup],
    pages: Sequence[procedure_pages.ReadPage],
) -> None:
    """Trains the classifiers without the batch, and has the reader use them."""
    read_models_in(folder)
    statements.train([group for group in groups if group.batch != batch], statement_classifier.MODEL)
    sections.train([section for section in examples if section.batch != batch], classifier.MODEL)
    others = [judged for page in pages if page.batch != batch for judged in procedure_pages.judged(page)]
    procedure_pages.train(others, likelihood.MODEL)


def main() -> None:
    examples = [*labelled_sections(), *composed_sections()]
    groups = list(statements.statement_groups())
    pages = list(procedure_pages.read_pages())
    total: Counter[str] = Counter()
    for batch in sys.argv[1:] or BLIND:
        with TemporaryDirectory() as folder:
            hold_out(batch, Path(folder), examples, groups, pages)
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
