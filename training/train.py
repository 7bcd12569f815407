"""Trains the block network: out of fold by registered domain for the report, then once on everything for the model."""

import argparse
import math
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from training.calibrate import expected_and_true, knots
from training.export import export
from training.network import BlockNetwork, Member
from training.rows import STYLES, Rows

FOLDS = 5


def loss_of(logits: torch.Tensor, batch: dict[str, torch.Tensor], share: float) -> torch.Tensor:
    """Cross-entropy in which every page counts about the same, and one minus the page's expected F1."""
    pages = len(batch["weight"])
    page, y = batch["page"], batch["y"]
    words = batch["words"]
    weight = (words.sqrt() + 0.3) * batch["sure"]
    total = torch.zeros(pages, device=y.device).index_add_(0, page, weight)
    gold = torch.zeros(pages, device=y.device).index_add_(0, page, weight * y)
    weight = weight / (gold.clamp(min=3) * total).sqrt()[page]
    entropy = functional.binary_cross_entropy_with_logits(
        logits, y, weight=weight * batch["weight"][page], reduction="sum"
    )
    p = torch.sigmoid(logits)
    hit = torch.zeros(pages, device=y.device).index_add_(0, page, p * y * words)
    predicted = torch.zeros(pages, device=y.device).index_add_(0, page, p * words)
    want = torch.zeros(pages, device=y.device).index_add_(0, page, y * words)
    f1 = 2 * hit / (predicted + want + 1)
    return (entropy + share * ((1 - f1) * batch["weight"]).sum()) / pages


MEMBERS = (Member(32, (1, 4), seed=1),)
TEACHER = Member(32, (1, 4), seed=1)


def fit(
    rows: Rows,
    pages: list[int],
    member: Member,
    options: argparse.Namespace,
    labels: torch.Tensor | None = None,
) -> BlockNetwork:
    """A network that has seen these pages only; `labels` in place of those of the gold."""
    torch.manual_seed(member.seed)
    order = np.random.default_rng(member.seed)
    model = BlockNetwork(rows.x.shape[1] + 1, member.hidden, member.steps, options.dropout).to(rows.device)
    mean = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=options.decay)
    steps = options.epochs * math.ceil(len(pages) / options.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.rate, total_steps=steps, pct_start=0.1)
    for _ in range(options.epochs):
        shuffled = order.permutation(pages)
        for start in range(0, len(shuffled), options.batch):
            batch = rows.batch(shuffled[start : start + options.batch].tolist(), labels=labels)
            x = blurred(batch["x"], batch["page"], options.blur)
            loss = loss_of(model(x, batch), batch, options.share)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            mean.update_parameters(model)
    return mean.module.eval()


def blurred(x: torch.Tensor, page: torch.Tensor, amount: float) -> torch.Tensor:
    """Drops some features of a page at random, so that the network does not depend on the habits of a site."""
    pages = int(page.max()) + 1
    keep = torch.rand(pages, x.shape[1], device=x.device) >= amount
    return x * keep.float().index_select(0, page)


@torch.no_grad()
def predict(model: BlockNetwork, rows: Rows, pages: list[int], style: float | None) -> dict[int, np.ndarray]:
    probabilities = {}
    for start in range(0, len(pages), 16):
        batch_pages = pages[start : start + 16]
        batch = rows.batch(batch_pages, style)
        p = torch.sigmoid(model(batch["x"], batch)).cpu().numpy()
        at = 0
        for page in batch_pages:
            size = rows.offsets[page + 1] - rows.offsets[page]
            probabilities[page] = p[at : at + size]
            at += size
    return probabilities


def fold_of(domain: str) -> int:
    return zlib.crc32(domain.encode()) % FOLDS


def defaults() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--blur", type=float, default=0.1)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument(
        "--taught", type=float, default=0.5, help="share of a label that comes from a teacher"
    )
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--decay", type=float, default=0.02)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--batch", type=int, default=16)
    return parser


def train_all(folder: Path, out: Path, options: argparse.Namespace) -> None:
    """One jury per fold, trained without the fold's domains, and one on everything; each exported when ready."""
    torch.set_num_threads(1)
    rows = Rows(folder, "cuda" if torch.cuda.is_available() else "cpu")
    train = [number for number, page in enumerate(rows.about) if page["train"]]
    teachers = Teachers(rows, train, options)
    (out / "folds").mkdir(parents=True, exist_ok=True)
    pairs: list[tuple[float, float]] = []
    for fold in (None, *range(FOLDS)):
        began = time.time()
        inside = [page for page in train if teachers.fold[page] != fold]
        labels = teachers.soften(fold)
        jury = [fit(rows, inside, member, options, labels) for member in MEMBERS]
        name = out / ("model.npz" if fold is None else f"folds/fold{fold}.npz")
        export(list(zip(MEMBERS, jury, strict=True)), rows, name)
        sys.stdout.write(f"{name.name}: {len(inside)} pages, {time.time() - began:.0f} s\n")
        sys.stdout.flush()
        if fold is not None:
            held_out = [page for page in train if teachers.fold[page] == fold]
            pairs += worth(jury, rows, [page for page in held_out if rows.about[page]["source"] == "wcxb"])
    # These two lines belong in `headwater.extract.html.classifier.selection`.
    sys.stdout.write("confidence, expected and true: {}\n{}\n".format(*knots(pairs)))


class Teachers:
    """Networks that judge pages of domains they have not seen.

    Gold is cut short on some pages and leaves out on one page what it keeps on the next. What a network that never saw
    the page says of a block is wrong in other ways, so that the mean of both is nearer to the truth than either.
    """

    def __init__(self, rows: Rows, train: list[int], options: argparse.Namespace) -> None:
        self.rows, self.train, self.options = rows, train, options
        self.fold = {page: fold_of(rows.about[page]["domain"]) for page in train}
        self.networks: dict[frozenset[int | None], BlockNetwork] = {}

    def soften(self, held_out: int | None) -> torch.Tensor:
        """Labels of every page outside the held-out fold; the networks behind them have not seen a page of it."""
        labels = self.rows.y.clone()
        share = self.options.taught
        for fold in range(FOLDS):
            if fold == held_out:
                continue
            pages = [page for page in self.train if self.fold[page] == fold]
            for page, probabilities in predict(self._without(fold, held_out), self.rows, pages, None).items():
                span = slice(self.rows.offsets[page], self.rows.offsets[page + 1])
                judged = torch.tensor(probabilities, device=labels.device)
                labels[span] = share * judged + (1 - share) * self.rows.y[span]
        return labels

    def _without(self, *folds: int | None) -> BlockNetwork:
        key = frozenset(folds)
        if key not in self.networks:
            pages = [page for page in self.train if self.fold[page] not in key]
            self.networks[key] = fit(self.rows, pages, TEACHER, self.options)
        return self.networks[key]


def worth(jury: list[BlockNetwork], rows: Rows, pages: list[int]) -> list[tuple[float, float]]:
    # In both styles, as the reader asks of a page that does not say what it is.
    predictions = [
        predict(model, rows, pages, style) for model in jury for style in sorted(set(STYLES.values()))
    ]
    pairs = []
    for page in pages:
        span = slice(rows.offsets[page], rows.offsets[page + 1])
        likely = np.mean([probabilities[page] for probabilities in predictions], axis=0, dtype=np.float64)
        pairs.append(expected_and_true(likely, rows.words[span].cpu().numpy(), rows.y[span].cpu().numpy()))
    return pairs
