"""The blocks of all labelled pages on one device, and batches of whole pages."""

import json
from pathlib import Path

import numpy as np
import torch

from training.network import RANGES

# The first set includes what belongs to the page, the others only the article; the network receives the style as a feature.
STYLES = {"wcxb": 0.0, "fixtures": 1.0, "snippets": 1.0}
PAGE_WEIGHTS = {"wcxb": 1.0, "fixtures": 1.5, "snippets": 1.0}


class Rows:
    """All blocks of all pages on one device, cut by page."""

    def __init__(self, folder: Path, device: str) -> None:
        stored = np.load(folder / "rows.npz")
        self.about = json.loads((folder / "pages.json").read_text(encoding="utf-8"))
        binary = stored["binary"]
        count = len(stored["labels"])
        matrix = np.zeros((count, len(binary)), np.float32)
        matrix[:, ~binary] = stored["numeric"] / np.float32(255)
        matrix[:, binary] = np.unpackbits(stored["flags"], axis=1, count=int(binary.sum()))
        self.low, self.high, self.binary = stored["low"], stored["high"], binary
        self.offsets = np.concatenate([[0], np.cumsum(stored["sizes"])])
        self.mean = matrix.mean(0)
        self.spread = np.maximum(matrix.std(0), 0.05)
        self.x = torch.tensor((matrix - self.mean) / self.spread, device=device)
        self.y = torch.tensor(stored["labels"].astype(np.float32), device=device)
        self.words = torch.tensor(stored["words"].astype(np.float32), device=device)
        self.sure = torch.tensor(stored["sure"].astype(np.float32), device=device)
        self.first = torch.tensor(stored["first"].astype(np.int64), device=device)
        self.last = torch.tensor(stored["last"].astype(np.int64), device=device)
        self.template = torch.tensor(stored["template"].astype(np.int64), device=device)
        self.templates = int(self.template.max()) + 1
        self.device = device

    def batch(
        self, pages: list[int], style: float | None = None, labels: torch.Tensor | None = None
    ) -> dict[str, torch.Tensor]:
        parts = [torch.arange(self.offsets[page], self.offsets[page + 1]) for page in pages]
        rows = torch.cat(parts).to(self.device)
        sizes = torch.tensor([len(part) for part in parts], device=self.device)
        ends = torch.cumsum(sizes, 0)
        starts = ends - sizes
        page = torch.repeat_interleave(torch.arange(len(pages), device=self.device), sizes)
        shift = starts[page]
        styles = [STYLES[self.about[p]["source"]] if style is None else style for p in pages]
        flag = torch.tensor(styles, device=self.device)[page]
        template = torch.unique(self.template[rows] + page * self.templates, return_inverse=True)[1]
        weight = torch.tensor(
            [PAGE_WEIGHTS.get(self.about[p]["source"], 1.0) for p in pages], device=self.device
        )
        batch = {
            "x": torch.cat([self.x[rows], flag[:, None] * 2 - 1], 1),
            "y": (self.y if labels is None else labels)[rows],
            "words": self.words[rows],
            "sure": self.sure[rows],
            "template": template,
            "template_share": 1 / torch.bincount(template).float()[:, None],
            "page": page,
            "weight": weight,
        }
        return batch | self._ranges(rows, shift, starts, ends, page) | _steps(shift, ends[page])

    def _ranges(
        self,
        rows: torch.Tensor,
        shift: torch.Tensor,
        starts: torch.Tensor,
        ends: torch.Tensor,
        page: torch.Tensor,
    ) -> dict[str, torch.Tensor]:
        """Each distinct range once; blocks point to theirs."""
        first = torch.cat([*(self.first[:RANGES, rows] + shift), starts])
        last = torch.cat([*(self.last[:RANGES, rows] + shift), ends])
        size = int(ends[-1]) + 1
        distinct, number = torch.unique(first * size + last, return_inverse=True)
        first, last = distinct // size, distinct % size
        count = len(rows)
        return {
            "range_first": first,
            "range_last": last,
            "range_share": 1 / (last - first).float()[:, None],
            "range": number[: RANGES * count].view(RANGES, count),
            "page_range": number[RANGES * count :].index_select(0, page),
        }


def _steps(start: torch.Tensor, end: torch.Tensor) -> dict[str, torch.Tensor]:
    """Which neighbours at a distance belong to the same page."""
    order = torch.arange(len(start), device=start.device)
    masks = {}
    for step in (1, 2, 4, 8):
        masks[f"left{step}"] = (order - step >= start).float()[:, None]
        masks[f"right{step}"] = (order + step < end).float()[:, None]
    return masks
