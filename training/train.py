"""Train the block network: out of fold by registered domain for the report, then once on everything for the model."""

import argparse
import json
import math
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from training.calibrate import expected_and_true, knots
from training.network import RANGES, BlockNetwork

STYLES = {"wcxb": 0.0, "aeb": 1.0, "fixtures": 1.0, "snippets": 1.0}
FOLDS = 5
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

    def batch(self, pages: list[int], style: float | None = None) -> dict[str, torch.Tensor]:
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
            "y": self.y[rows],
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
    found = {}
    for step in (1, 2, 4, 8):
        found[f"left{step}"] = (order - step >= start).float()[:, None]
        found[f"right{step}"] = (order + step < end).float()[:, None]
    return found


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
    said = torch.zeros(pages, device=y.device).index_add_(0, page, p * words)
    want = torch.zeros(pages, device=y.device).index_add_(0, page, y * words)
    f1 = 2 * hit / (said + want + 1)
    return (entropy + share * ((1 - f1) * batch["weight"]).sum()) / pages


@dataclass(frozen=True, slots=True)
class Member:
    """One network of the jury: how wide it is, and at which distances its layers see neighbours."""

    hidden: int
    steps: tuple[int, ...]
    seed: int


MEMBERS = (Member(48, (1, 2, 4), seed=0), Member(32, (1, 4), seed=1))


def fit(rows: Rows, pages: list[int], member: Member, options: argparse.Namespace) -> BlockNetwork:
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
            batch = rows.batch(shuffled[start : start + options.batch].tolist())
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
    """A page now and then loses some of its features, so that no site's habits are leaned on."""
    pages = int(page.max()) + 1
    keep = torch.rand(pages, x.shape[1], device=x.device) >= amount
    return x * keep.float().index_select(0, page)


@torch.no_grad()
def predict(model: BlockNetwork, rows: Rows, pages: list[int], style: float | None) -> dict[int, np.ndarray]:
    found = {}
    for start in range(0, len(pages), 16):
        some = pages[start : start + 16]
        batch = rows.batch(some, style)
        p = torch.sigmoid(model(batch["x"], batch)).cpu().numpy()
        at = 0
        for page in some:
            size = rows.offsets[page + 1] - rows.offsets[page]
            found[page] = p[at : at + size]
            at += size
    return found


def fold_of(domain: str) -> int:
    return zlib.crc32(domain.encode()) % FOLDS


def defaults() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--blur", type=float, default=0.1)
    parser.add_argument("--share", type=float, default=1.0)
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
    (out / "folds").mkdir(parents=True, exist_ok=True)
    pairs: list[tuple[float, float]] = []
    for fold in (None, *range(FOLDS)):
        began = time.time()
        inside = [page for page in train if fold_of(rows.about[page]["domain"]) != fold]
        jury = [fit(rows, inside, member, options) for member in MEMBERS]
        name = out / ("model.npz" if fold is None else f"folds/fold{fold}.npz")
        export([model.state_dict() for model in jury], rows, name)
        sys.stdout.write(f"{name.name}: {len(inside)} pages, {time.time() - began:.0f} s\n")
        sys.stdout.flush()
        if fold is not None:
            held = [page for page in train if fold_of(rows.about[page]["domain"]) == fold]
            pairs += worth(jury, rows, [page for page in held if rows.about[page]["source"] == "wcxb"])
    # These two lines belong into `headwater.extract.html.choose`.
    sys.stdout.write("confidence, expected and true: {}\n{}\n".format(*knots(pairs)))


def worth(jury: list[BlockNetwork], rows: Rows, pages: list[int]) -> list[tuple[float, float]]:
    found = [predict(model, rows, pages, STYLES["wcxb"]) for model in jury]
    pairs = []
    for page in pages:
        span = slice(rows.offsets[page], rows.offsets[page + 1])
        likely = np.mean([said[page] for said in found], axis=0, dtype=np.float64)
        pairs.append(expected_and_true(likely, rows.words[span].cpu().numpy(), rows.y[span].cpu().numpy()))
    return pairs


def export(jury: list[dict[str, torch.Tensor]], rows: Rows, out: Path) -> None:
    """The small file that the package ships; a member's arrays carry its number."""
    arrays = {}
    for number, (member, state) in enumerate(zip(MEMBERS, jury, strict=True)):
        for name, array in plain_arrays(member, state, rows).items():
            arrays[f"{number}.{name}"] = array
    np.savez_compressed(out, **arrays)


def plain_arrays(member: Member, state: dict[str, torch.Tensor], rows: Rows) -> dict[str, np.ndarray]:
    """Inputs unscaled, layers in half precision, the style as an input of its own."""
    tensors = {name: tensor.double().cpu().numpy() for name, tensor in state.items()}
    low, high = rows.low.astype(np.float64), rows.high.astype(np.float64)
    scale = 1 / (high - low) / rows.spread
    shift = -low * scale - rows.mean / rows.spread
    enter = tensors["enter.weight"].T
    arrays = {
        "low": low.astype(np.float32),
        "high": high.astype(np.float32),
        "enter": (enter[:-1] * scale[:, None]).astype(np.float32),
        "enter_bias": (tensors["enter.bias"] + shift @ enter[:-1]).astype(np.float32),
        "style": enter[-1].astype(np.float32),
        "steps": np.array(member.steps),
        "leave": tensors["leave.weight"][0].astype(np.float32),
        "leave_bias": tensors["leave.bias"][0].astype(np.float32),
    }
    for number in range(len(member.steps)):
        arrays[f"layer{number}"] = tensors[f"mix.{number}.weight"].T.astype(np.float16)
        arrays[f"layer{number}_bias"] = tensors[f"mix.{number}.bias"].astype(np.float32)
    return arrays
