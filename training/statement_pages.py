"""Labelled statements of whole pages, for the network that reads all statements of a page: `python -m training.statement_pages FILE`.

Two kinds of pages: our own portal pages (`benchmarks/portals`), where the truth of a page says what a statement is: one in a value of a
field, or around one, belongs to that field, any other to none; and texts of invented pages (`procedure_texts`), whose authors
labelled every statement. Both are read exactly as the recipe reads a page. A section whose class is known also has headings in other
words, so that the network learns what a section says and not how portals usually call it."""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from benchmarks.first_contact import batches, read_batch

from headwater.model.outcomes import ExtractHints, Reading
from headwater.text.folding import fold_text
from headwater_recipes.procedures.normalise import sections_by_rules
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.sections.classifier import CLASSES
from headwater_recipes.procedures.sections.page_statements import (
    PageStatement,
    dense_features,
    heading_above,
    heading_words,
    page_statements,
    rule_hint,
    statement_words,
)
from headwater_recipes.procedures.sections.parts import PagePart
from headwater_recipes.procedures.sections.statements import MOST_LETTERS
from headwater_recipes.procedures.sections.word_meaning import text_meaning
from headwater_recipes.procedures.standalone import page_from
from training.section_headings import headings
from training.statements import class_by_values, values_of_truth

TEXTS = Path(__file__).with_name("procedure_texts")
TEXT_BATCH, ALTERNATIVES, UNLABELLED = "texts", 6, -1


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """`names`: the class of each statement; empty for those that teach nothing."""

    batch: str
    reworded: bool
    language: str
    parts: tuple[PagePart, ...]
    statements: tuple[PageStatement, ...]
    names: tuple[str, ...]


def portal_pages() -> Iterator[LabelledPage]:
    for batch in batches():
        for page, _ in read_batch(batch):
            reading = read_procedure(page.body, ExtractHints(url=page.url, media_type=page.media_type))
            if not isinstance(reading, Reading):
                continue
            values = list(values_of_truth(page.truth))
            parts = sections_by_rules(reading.text)
            statements = page_statements(parts, reading.text)
            names = tuple(class_by_values(statement.line.text, values) for statement in statements)
            language = page_from(reading, page.url).language
            yield LabelledPage(batch, page.reworded, language, tuple(parts), tuple(statements), names)


def text_pages() -> Iterator[LabelledPage]:
    for path in sorted(TEXTS.glob("*.yaml")):
        for page in yaml.safe_load(path.read_text(encoding="utf-8")):
            text = _markdown(page)
            parts = sections_by_rules(text)
            statements = page_statements(parts, text)
            labels = [(fold_text(str(line[-1])), line[1]) for line in page["lines"] if len(line) > 2]
            names = tuple(_names_in_order(statements, labels))
            yield LabelledPage(
                TEXT_BATCH,
                page["wording"] == "reworded",
                page["language"],
                tuple(parts),
                tuple(statements),
                names,
            )


def _markdown(page: dict[str, Any]) -> str:
    """The page as the extractor would give it."""
    blocks = [f"# {page['title']}"]
    for kind, *rest in page["lines"]:
        texts = list(map(str, rest))
        if kind == "s" and blocks:
            blocks[-1] += f" {texts[-1]}"
        elif kind in {"h2", "h3"}:
            blocks.append(f"{'#' * int(kind[1])} {texts[-1]}")
        elif kind == "row":
            blocks.append(f"| {texts[-2]} | {texts[-1]} |")
        else:
            blocks.append({"li": "- ", "n": "1. "}.get(kind, "") + texts[-1])
    return "\n\n".join(blocks)


def _names_in_order(statements: Sequence[PageStatement], labels: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The class of the labelled line that contains each statement or is contained in it; both come in the same order."""
    place = 0
    for statement in statements:
        folded = fold_text(statement.line.text)
        match = next(
            (
                number
                for number in [*range(place, len(labels)), *range(place)]
                if folded and (folded in labels[number][0] or labels[number][0] in folded)
            ),
            None,
        )
        yield labels[match][1] if match is not None and labels[match][1] in CLASSES else ""
        place = place if match is None else match


def section_classes(page: LabelledPage) -> list[str]:
    """The class of most statements of each section."""
    counts = [Counter[str]() for _ in page.parts]
    for statement, name in zip(page.statements, page.names, strict=True):
        if name:
            counts[statement.part][name] += 1
    return [count.most_common(1)[0][0] if count else "" for count in counts]


def write_examples(pages: Sequence[LabelledPage], target: Path) -> None:
    """The pages as flat arrays: of words, of statements, of headings and of sections, with where each page begins."""
    rng = random.Random(3)  # noqa: S311 - the same headings every time
    arrays: dict[str, list[Any]] = {
        name: []
        for name in ("words", "word_ends", "dense", "target", "section", "statement_ends", "hints", "section_ends",
                     "heading_words", "heading_ends", "heading_meaning")
    }  # fmt: skip
    for page in pages:
        first_section = arrays["section_ends"][-1] if arrays["section_ends"] else 0
        for statement, name in zip(page.statements, page.names, strict=True):
            arrays["words"] += statement_words(fold_text(statement.line.text[:MOST_LETTERS]))
            arrays["word_ends"].append(len(arrays["words"]))
            arrays["target"].append(CLASSES.index(name) if name else UNLABELLED)
            arrays["section"].append(first_section + statement.part)
        arrays["dense"].append(dense_features(page.statements, page.parts))
        arrays["statement_ends"].append(len(arrays["target"]))
        for part, name in zip(page.parts, section_classes(page), strict=True):
            arrays["hints"].append(rule_hint(part))
            for title in [part.title, *_other_titles(part, name, page.language, rng)]:
                arrays["heading_words"] += heading_words(title, heading_above(part))
                arrays["heading_ends"].append(len(arrays["heading_words"]))
                arrays["heading_meaning"].append(text_meaning(fold_text(title)))
        arrays["section_ends"].append(len(arrays["hints"]))
    np.savez_compressed(
        target,
        **{
            name: np.vstack(arrays[name]).astype(np.float16) for name in ("dense", "hints", "heading_meaning")
        },
        **{
            name: np.array(values, dtype=np.int32)
            for name, values in arrays.items()
            if name not in {"dense", "hints", "heading_meaning"}
        },
        batch=np.array([page.batch for page in pages]),
        reworded=np.array([page.reworded for page in pages]),
        classes=np.array(CLASSES),
    )


def _other_titles(part: PagePart, name: str, language: str, rng: random.Random) -> list[str]:
    """Headings in other words, and at last none; the own one where there are none."""
    choices = headings(name, language) if name and part.title else []
    others = rng.sample(choices, min(ALTERNATIVES, len(choices)))
    return [*others, *([part.title] * (ALTERNATIVES - len(others))), ""]


def labelled_pages() -> list[LabelledPage]:
    return [page for page in (*portal_pages(), *text_pages()) if page.statements]


def main() -> None:
    pages = labelled_pages()
    write_examples(pages, Path(sys.argv[1]))
    names = Counter(name for page in pages for name in page.names)
    sys.stdout.write(f"{len(pages)} pages, {sum(names.values())} statements: {names.most_common()}\n")


if __name__ == "__main__":
    main()
