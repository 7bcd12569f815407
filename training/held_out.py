"""How well whole pages of a batch are read by a section classifier that has not seen the batch: `python -m training.held_out
[BATCH...]`. For each batch the classifier is trained on all others; precision and recall are those of `benchmarks.first_contact`, as the
authors wrote their labels."""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.first_contact import measure_batch

from headwater_recipes.procedures.sections import classifier
from training.sections import composed_sections, labelled_sections, say, train

BLIND = tuple(f"batch-{number}" for number in range(19, 25))


def main() -> None:
    pages = [*labelled_sections(), *composed_sections()]
    total: Counter[str] = Counter()
    for batch in sys.argv[1:] or BLIND:
        with TemporaryDirectory() as folder:
            classifier.MODEL = Path(folder) / "sections.npz"
            classifier.read_model.cache_clear()
            train([section for section in pages if section.batch != batch], classifier.MODEL)
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
