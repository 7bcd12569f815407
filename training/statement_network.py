"""Trains the network that says what each statement of a page is about: `python -m training.statement_network EXAMPLES TARGET
[--hold-out BATCH,BATCH...] [--seeds N]`. Needs PyTorch and NumPy alone, on a GPU or without; the examples are those of
`training.statement_pages`. `headwater_recipes.procedures.sections.statement_network` computes the same with NumPy.

The rules' own labels are hints. The network must not need them, because it serves where rules know nothing: pages lose their hints, and
sections their headings, again and again while it learns."""

import argparse
import copy
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, embedding_bag

BUCKETS, EMBEDDED, ENTERED, STATES, MIXED = 8192, 32, 96, 64, 96
EPOCHS, PAGES_AT_ONCE, RATE, DECAY, SMOOTHING = 40, 16, 2e-3, 0.02, 0.05
PAGE_KEEPS_ALL, SECTION_CHANGES, SECTION_LOSES_HINT, TEXT_PAGE_KEEPS = 0.35, 0.6, 0.5, 0.7
DROPOUT, WORD_DROPOUT, AVERAGED = 0.3, 0.15, 0.995
LARGEST_INT8 = 127


@dataclass(frozen=True)
class Examples:
    """The arrays of the file, and the pages as ranges of statements and of sections."""

    arrays: Mapping[str, Any]

    def range_of(self, name: str, place: int) -> slice:
        ends = self.arrays[name]
        return slice(int(ends[place - 1]) if place else 0, int(ends[place]))

    @property
    def titles(self) -> int:
        return len(self.arrays["heading_ends"]) // len(self.arrays["hints"])


@dataclass(frozen=True)
class PageTensors:
    """What the network gets of some pages: all statements one after another, and the place of each page in them."""

    words: torch.Tensor
    word_starts: torch.Tensor
    headings: torch.Tensor
    heading_starts: torch.Tensor
    sections: torch.Tensor
    dense: torch.Tensor
    targets: torch.Tensor
    pages: torch.Tensor
    lengths: tuple[int, ...]


class StatementNetwork(nn.Module):
    """A statement by itself, then what precedes and follows it, then its section and its page."""

    def __init__(self, dense: int, classes: int) -> None:
        super().__init__()
        self.words = nn.Embedding(BUCKETS, EMBEDDED)
        nn.init.normal_(self.words.weight, std=0.3)
        self.enter = nn.Linear(2 * EMBEDDED + dense, ENTERED)
        self.around = nn.GRU(ENTERED, STATES, batch_first=True, bidirectional=True)
        wide = ENTERED + 2 * STATES
        self.mix = nn.Linear(2 * wide + ENTERED, MIXED)
        self.leave = nn.Linear(MIXED, classes)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, page: PageTensors) -> torch.Tensor:
        text_words = embedding_bag(page.words, self.words.weight, page.word_starts, mode="mean")
        title_words = embedding_bag(page.headings, self.words.weight, page.heading_starts, mode="mean")[
            page.sections
        ]
        entered = self.dropout(
            torch.relu(
                self.enter(torch.cat([self.dropout(text_words), self.dropout(title_words), page.dense], 1))
            )
        )
        padded = nn.utils.rnn.pad_sequence(list(entered.split(page.lengths)), batch_first=True)
        packed = nn.utils.rnn.pack_padded_sequence(
            padded, torch.tensor(page.lengths), batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.around(packed)[0], batch_first=True)
        states = torch.cat([row[:length] for row, length in zip(states, page.lengths, strict=True)])
        around = torch.cat([entered, self.dropout(states)], 1)
        section = _mean_by(around, page.sections)
        mixed = torch.cat([around, section, _mean_by(entered, page.pages)], 1)
        return self.leave(self.dropout(torch.relu(self.mix(mixed))))


def _mean_by(rows: torch.Tensor, groups: torch.Tensor) -> torch.Tensor:
    size = int(groups.max()) + 1
    sums = rows.new_zeros(size, rows.shape[1]).index_add(0, groups, rows)
    counts = rows.new_zeros(size).index_add(0, groups, rows.new_ones(len(groups)))
    return (sums / counts.clamp(min=1)[:, None])[groups]


def page_tensors(
    examples: Examples, places: Sequence[int], device: torch.device, rng: np.random.Generator | None
) -> PageTensors:
    """The pages; with a generator, changed as for learning."""
    arrays = examples.arrays
    words, word_starts, headings, heading_starts = [], [], [], []
    sections, dense, targets, pages, lengths = [], [], [], [], []
    word_count = heading_count = section_count = 0
    for number, place in enumerate(places):
        statements, own_sections = (
            examples.range_of("statement_ends", place),
            examples.range_of("section_ends", place),
        )
        hints = arrays["hints"][own_sections].astype(np.float32)
        choices = np.zeros(len(hints), dtype=int)
        if rng is not None:
            hints, choices = _changed(hints, examples.titles, rng, is_text=arrays["batch"][place] == "texts")
        meanings = np.zeros((len(hints), arrays["heading_meaning"].shape[1]), dtype=np.float32)
        for section, choice in enumerate(choices):
            title = (own_sections.start + section) * examples.titles + choice
            bag = arrays["heading_words"][examples.range_of("heading_ends", title)]
            headings.append(bag)
            heading_starts.append(heading_count)
            heading_count += len(bag)
            meanings[section] = arrays["heading_meaning"][title]
        for statement in range(statements.start, statements.stop):
            bag = arrays["words"][examples.range_of("word_ends", statement)]
            if rng is not None and len(bag) > 1:
                bag = bag[rng.random(len(bag)) > WORD_DROPOUT]
            words.append(bag)
            word_starts.append(word_count)
            word_count += len(bag)
        local = arrays["section"][statements] - own_sections.start
        dense.append(
            np.hstack([arrays["dense"][statements].astype(np.float32), meanings[local], hints[local]])
        )
        sections.append(local + section_count)
        section_count += len(hints)
        targets.append(arrays["target"][statements])
        lengths.append(statements.stop - statements.start)
        pages.append(np.full(lengths[-1], number))

    def tensor(values: Any) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(device)

    return PageTensors(
        tensor(np.concatenate(words).astype(np.int64)),
        tensor(np.array(word_starts)),
        tensor(np.concatenate([*headings, np.zeros(0)]).astype(np.int64)),
        tensor(np.array(heading_starts)),
        tensor(np.concatenate(sections).astype(np.int64)),
        tensor(np.vstack(dense)),
        tensor(np.concatenate(targets).astype(np.int64)),
        tensor(np.concatenate(pages)),
        tuple(lengths),
    )


def _changed(hints: Any, titles: int, rng: np.random.Generator, *, is_text: bool) -> tuple[Any, Any]:
    """The hints and the headings of a page as the network sees them this time."""
    choices = np.zeros(len(hints), dtype=int)
    if rng.random() < (TEXT_PAGE_KEEPS if is_text else PAGE_KEEPS_ALL):
        return hints, choices
    changes = rng.random(len(hints)) < SECTION_CHANGES
    choices[changes] = rng.integers(1, titles, changes.sum())
    loses = changes | (rng.random(len(hints)) < SECTION_LOSES_HINT)
    return np.where(loses[:, None], 0, hints).astype(np.float32), choices


def fit(examples: Examples, places: Sequence[int], device: torch.device, seed: int) -> StatementNetwork:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    first = page_tensors(examples, places[:1], device, None)
    network = StatementNetwork(first.dense.shape[1], len(examples.arrays["classes"])).to(device)
    average = copy.deepcopy(network)
    targets = np.concatenate(
        [examples.arrays["target"][examples.range_of("statement_ends", place)] for place in places]
    )
    counts = np.bincount(targets[targets >= 0], minlength=len(examples.arrays["classes"])).clip(1)
    weight = torch.tensor((counts.mean() / counts) ** 0.25, dtype=torch.float32, device=device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    batches = -(-len(places) // PAGES_AT_ONCE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, EPOCHS * batches, pct_start=0.1)
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(places)
        for begin in range(0, len(order), PAGES_AT_ONCE):
            page = page_tensors(examples, order[begin : begin + PAGES_AT_ONCE].tolist(), device, rng)
            loss = cross_entropy(
                network(page), page.targets, weight, ignore_index=-1, label_smoothing=SMOOTHING
            )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            keep = min(AVERAGED, step / (step + 10))
            for slow, fast in zip(average.parameters(), network.parameters(), strict=True):
                slow.data.lerp_(fast.data, 1 - keep)
    return average.eval()


def layers(network: StatementNetwork) -> dict[str, Any]:
    """The weights as the package reads them: rows times columns, the words in bytes."""
    values = {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    words = values["words.weight"]
    scale = float(np.abs(words).max()) / LARGEST_INT8
    arrays: dict[str, Any] = {
        "words": np.round(words / scale).astype(np.int8),
        "words_scale": np.float32(scale),
    }
    for name in ("enter", "mix", "leave"):
        arrays[name], arrays[f"{name}_bias"] = values[f"{name}.weight"].T, values[f"{name}.bias"]
    for name, suffix in (("forward", ""), ("backward", "_reverse")):
        for layer, side in (("in", "ih"), ("state", "hh")):
            arrays[f"{name}_{layer}"] = values[f"around.weight_{side}_l0{suffix}"].T
            arrays[f"{name}_{layer}_bias"] = values[f"around.bias_{side}_l0{suffix}"]
    return {
        name: array.astype(np.float16) if array.dtype == np.float32 and array.ndim else array
        for name, array in arrays.items()
    }


def write_networks(networks: Sequence[StatementNetwork], target: Path) -> None:
    np.savez_compressed(
        target,
        **{
            f"{number}.{name}": array
            for number, network in enumerate(networks)
            for name, array in layers(network).items()
        },
    )


def report(
    networks: Sequence[StatementNetwork], examples: Examples, places: Sequence[int], device: torch.device
) -> Iterator[str]:
    """How many statements of these pages are placed right, with all hints and without any."""
    reworded = examples.arrays["reworded"]
    for name, is_reworded in (("reworded", True), ("usual", False)):
        some = [place for place in places if bool(reworded[place]) == is_reworded]
        if not some:
            continue
        page = page_tensors(examples, some, device, None)
        for hinted in (True, False):
            dense = page.dense.clone()
            if not hinted:
                dense[:, -_hint_features(examples) :] = 0
            page_as_seen = PageTensors(**{**vars(page), "dense": dense})
            with torch.no_grad():
                shares = sum(network(page_as_seen).softmax(1) for network in networks) / len(networks)
            yield f"{name}, {'with' if hinted else 'without'} hints: {_figures(shares, page.targets, examples)}"


def _hint_features(examples: Examples) -> int:
    return int(examples.arrays["hints"].shape[1])


def _figures(shares: torch.Tensor, targets: torch.Tensor, examples: Examples) -> str:
    other = list(examples.arrays["classes"]).index("other")
    best, sure = shares.argmax(1), shares.max(1).values
    labelled = targets >= 0
    text = f"{float((best == targets)[labelled].float().mean()):.3f} of {int(labelled.sum())};"
    for threshold in (0.0, 0.5, 0.7, 0.9):
        is_placed = (sure >= threshold) & (best != other) & labelled
        is_right = is_placed & (best == targets)
        has_field = (targets != other) & labelled
        text += f" {threshold}: {int(is_right.sum()) / max(1, int(is_placed.sum())):.3f}, {int(is_right.sum()) / max(1, int(has_field.sum())):.3f}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("examples")
    parser.add_argument("target")
    parser.add_argument("--hold-out", default="")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with np.load(options.examples) as arrays:
        examples = Examples(dict(arrays))
    apart = set(filter(None, options.hold_out.split(",")))
    batch = examples.arrays["batch"]
    learned = [place for place, name in enumerate(batch) if name not in apart]
    networks = [fit(examples, learned, device, seed) for seed in range(options.seeds)]
    held_out = [place for place, name in enumerate(batch) if name in apart]
    for line in report(networks, examples, held_out, device):
        sys.stdout.write(line + "\n")
    write_networks(networks, Path(options.target))


if __name__ == "__main__":
    main()
