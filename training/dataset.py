"""Pages to rows: features as the reader computes them, labels from the gold, one compressed file."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import trafilatura

from headwater.extract.html.classifier.features import block_table
from headwater.extract.html.reader import page_context, parse_page
from headwater.text.charset import decode_text
from training.labels import label
from training.pages import (
    LabelledPage,
    benchmark_domains,
    fixture_pages,
    mixed_pages,
    snippet_pages,
)


def rows(page: LabelledPage) -> dict[str, object] | None:
    text = decode_text(page.data, None).text
    evidence, flat = parse_page(text)
    context = page_context(evidence)
    if not flat.texts:
        return None
    described = block_table(flat, context)
    gold = page.gold
    if gold is None:
        # Without comments: left in, they teach the network that what readers wrote is part of an article.
        gold = trafilatura.extract(text, include_comments=False) or ""
    labels = np.array(label(flat.texts, gold), np.float32)
    sure = np.ones(len(labels), np.float32)
    for snippets, value in ((page.required_snippets, 1.0), (page.forbidden_snippets, 0.0)):
        for number, block in enumerate(flat.texts):
            if any(snippet and snippet in block for snippet in snippets):
                labels[number], sure[number] = value, 3.0
    return {
        "matrix": described.matrix,
        "first": described.first.astype(np.int32),
        "last": described.last.astype(np.int32),
        "template": described.alike.number.astype(np.int32),
        "words": described.words,
        "labels": labels,
        "sure": sure,
    }


def build(pages: Iterable[LabelledPage]) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    page_rows, about = [], []
    for page in pages:
        row = rows(page)
        if row is not None:
            page_rows.append(row)
            about.append({"key": page.key, "source": page.source, "kind": page.kind, "domain": page.domain})
    return page_rows, about


def compact(columns: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    scaled = (columns - low) / np.maximum(high - low, 1e-9)
    return np.round(np.clip(scaled, 0, 1) * 255).astype(np.uint8)


def write_rows(folder: Path, out: Path) -> None:
    """`rows.npz` and `pages.json` from the unpacked sets. Pages of a scored domain are kept out of training."""
    forbidden = benchmark_domains(folder)
    page_rows, about = build([*mixed_pages(folder), *fixture_pages(folder), *snippet_pages(folder)])
    for entry in about:
        entry["train"] = entry["domain"] not in forbidden
    out.mkdir(parents=True, exist_ok=True)
    matrix = np.concatenate([row["matrix"] for row in page_rows])
    low, high = np.quantile(matrix[::7], 0.0005, axis=0), np.quantile(matrix[::7], 0.9995, axis=0)
    low, high = low.astype(np.float32), np.maximum(high, low + 1e-3).astype(np.float32)
    binary = ((matrix == 0) | (matrix == 1)).all(axis=0)
    low[binary], high[binary] = 0, 1
    np.savez_compressed(
        out / "rows.npz",
        numeric=compact(matrix[:, ~binary], low[~binary], high[~binary]),
        flags=np.packbits(matrix[:, binary] > 0, axis=1),
        binary=binary,
        low=low,
        high=high,
        first=np.concatenate([row["first"] for row in page_rows], axis=1),
        last=np.concatenate([row["last"] for row in page_rows], axis=1),
        template=np.concatenate([row["template"] for row in page_rows]),
        words=np.concatenate([row["words"] for row in page_rows]),
        labels=np.concatenate([row["labels"] for row in page_rows]).astype(np.float16),
        sure=np.concatenate([row["sure"] for row in page_rows]).astype(np.uint8),
        sizes=np.array([len(row["labels"]) for row in page_rows]),
    )
    (out / "pages.json").write_text(json.dumps(about), encoding="utf-8")
