"""Louvain communities of a weighted graph: nodes in their order, ties to the smaller number, so always the same."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.neighbours import Neighbours

Numbers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

ROUNDS = 8
LEVELS = 12
SETTLED = 0.002


@dataclass(frozen=True, slots=True)
class Graph:
    """Row by row: the edges of node n are those from `starts[n]` to `starts[n + 1]`. `inside` is what a node that
    stands for several holds within itself, counted from both ends."""

    starts: Numbers
    targets: Numbers
    weights: Weights
    inside: Weights

    @property
    def size(self) -> int:
        return len(self.starts) - 1


def build_graph(near: Neighbours) -> Graph:
    """The union of everyone's neighbours, from both sides; similarities are the weights."""
    rows = np.repeat(np.arange(len(near.positions)), near.positions.shape[1])
    columns = near.positions.ravel()
    weights = near.similarities.ravel().astype(np.float64)
    real = (columns >= 0) & (weights > 0)
    rows, columns, weights = rows[real], columns[real], weights[real]
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    pairs, first = np.unique(low * len(near.positions) + high, return_index=True)
    low, high = np.divmod(pairs, len(near.positions))
    return _assembled(low, high, weights[first], np.zeros(len(near.positions)))


def find_communities(graph: Graph, resolution: float = 1.0) -> Numbers:
    """A community number per node."""
    labels = np.arange(graph.size)
    for _ in range(LEVELS):
        moved = _moved(graph, resolution)
        names, homes = np.unique(moved, return_inverse=True)
        labels = homes[labels]
        if len(names) == graph.size:
            break
        graph = _folded(graph, homes, len(names))
    return labels


def _moved(graph: Graph, resolution: float) -> Numbers:
    """Each node to the neighbouring community that gains most, round by round, until few still move. After the first
    round only those look again of whom a neighbour has moved away."""
    starts, targets, weights = graph.starts.tolist(), graph.targets.tolist(), graph.weights.tolist()
    rows = np.repeat(np.arange(graph.size), np.diff(graph.starts))
    degrees = (np.bincount(rows, graph.weights, graph.size) + graph.inside).tolist()
    scale = resolution / max(sum(degrees), 1e-12)
    home, held = list(range(graph.size)), list(degrees)
    looks = [True] * graph.size
    for _ in range(ROUNDS):
        changed = 0
        for node in range(graph.size):
            if not looks[node]:
                continue
            looks[node] = False
            links: dict[int, float] = {}
            edges = slice(starts[node], starts[node + 1])
            for target, weight in zip(targets[edges], weights[edges], strict=True):
                there = home[target]
                links[there] = links.get(there, 0.0) + weight
            own, degree = home[node], degrees[node]
            held[own] -= degree
            chosen = _best(links, own, held, scale * degree)
            held[chosen] += degree
            if chosen != own:
                home[node] = chosen
                changed += 1
                for target in targets[edges]:
                    looks[target] = looks[target] or home[target] != chosen
        if changed <= SETTLED * graph.size:
            break
    return np.array(home, dtype=np.int64)


def _best(links: dict[int, float], own: int, held: list[float], share: float) -> int:
    """Where a node gains most: its own community unless another is better, of equals the smaller number."""
    best, most = own, links.get(own, 0.0) - share * held[own] + 1e-12
    for there, link in links.items():
        gain = link - share * held[there]
        if gain > most or (gain == most and there < best != own):
            best, most = there, gain
    return best


def _folded(graph: Graph, homes: Numbers, size: int) -> Graph:
    """Each community as one node."""
    rows = homes[np.repeat(np.arange(graph.size), np.diff(graph.starts))]
    columns = homes[graph.targets]
    same = rows == columns
    inside = np.bincount(homes, graph.inside, size) + np.bincount(rows[same], graph.weights[same], size)
    once = rows < columns
    pairs, place = np.unique(rows[once] * size + columns[once], return_inverse=True)
    low, high = np.divmod(pairs, size)
    between = np.bincount(place, graph.weights[once], len(pairs)).astype(np.float64)
    return _assembled(low, high, between, inside.astype(np.float64))


def _assembled(low: Numbers, high: Numbers, weights: Weights, inside: Weights) -> Graph:
    rows, columns = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((columns, rows))
    starts = np.searchsorted(rows[order], np.arange(len(inside) + 1))
    return Graph(starts, columns[order], np.concatenate([weights, weights])[order], inside)
