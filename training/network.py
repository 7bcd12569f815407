"""The block network in torch, for training only; `headwater.extract.html.classifier.network` computes the same with NumPy."""

from dataclasses import dataclass

import torch
from torch import nn

RANGES = 3


@dataclass(frozen=True, slots=True)
class Member:
    """One network of the jury: how wide it is, and at which distances its layers see neighbours."""

    hidden: int
    steps: tuple[int, ...]
    seed: int


class BlockNetwork(nn.Module):
    """Each layer lets a block see its neighbours, the elements around it, its look-alikes and the whole page."""

    def __init__(self, features: int, hidden: int, steps: tuple[int, ...], dropout: float) -> None:
        super().__init__()
        self.enter = nn.Linear(features, hidden)
        self.steps = steps
        self.mix = nn.ModuleList(nn.Linear(hidden * (5 + RANGES), hidden) for _ in steps)
        self.leave = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        h = self.dropout(torch.relu(self.enter(x)))
        for mix, step in zip(self.mix, self.steps, strict=True):
            h = h + self.dropout(torch.relu(mix(torch.cat(surroundings(h, batch, step), dim=1))))
        return self.leave(h).squeeze(1)


def surroundings(h: torch.Tensor, batch: dict[str, torch.Tensor], step: int) -> list[torch.Tensor]:
    """`index_select` throughout: its gradient is many times cheaper on a CPU than that of plain indexing."""
    blank = h.new_zeros(step, h.shape[1])
    left = torch.cat([blank, h[:-step]]) * batch[f"left{step}"]
    right = torch.cat([h[step:], blank]) * batch[f"right{step}"]
    total = torch.cat([h.new_zeros(1, h.shape[1]), torch.cumsum(h, 0)])
    means = (
        total.index_select(0, batch["range_last"]) - total.index_select(0, batch["range_first"])
    ) * batch["range_share"]
    ranges = [means.index_select(0, batch["range"][level]) for level in range(RANGES)]
    page = means.index_select(0, batch["page_range"])
    return [h, left, right, *ranges, alike(h, batch), page]


def alike(h: torch.Tensor, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    template, share = batch["template"], batch["template_share"]
    sums = h.new_zeros(len(share), h.shape[1]).index_add(0, template, h)
    return (sums * share).index_select(0, template)
