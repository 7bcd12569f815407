"""Louvain communities of a weighted graph, deterministic: nodes in order, ties to the smaller number."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.neighbours import Neighbours
from headwater.stories.clustering.similarity import Numbers

Weights = npt.NDArray[np.float64]

MAX_ROUNDS = 8
MAX_LEVELS = 12
MIN_MOVED_SHARE = 0.002


@dataclass(frozen=True, slots=True)
class Graph:
    """Compressed rows: the edges of node n are those from `starts[n]` to `starts[n + 1]`. `inside` is the weight within a
    node that stands for several, counted from both ends."""

    starts: Numbers
    targets: Numbers
    weights: Weights
    inside: Weights

    @property
    def size(self) -> int:
        return len(self.starts) - 1


def build_graph(neighbours: Neighbours) -> Graph:
    """The symmetric neighbour graph, weighted by similarity."""
    rows = np.repeat(np.arange(len(neighbours.positions)), neighbours.positions.shape[1])
    columns = neighbours.positions.ravel()
    weights = neighbours.similarities.ravel().astype(np.float64)
    is_edge = (columns >= 0) & (weights > 0)
    rows, columns, weights = rows[is_edge], columns[is_edge], weights[is_edge]
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    pairs, first_index = np.unique(low * len(neighbours.positions) + high, return_index=True)
    low, high = np.divmod(pairs, len(neighbours.positions))
    return _assemble(low, high, weights[first_index], np.zeros(len(neighbours.positions)))


def find_communities(graph: Graph, resolution: float = 1.0) -> Numbers:
    """A community number per node."""
    labels = np.arange(graph.size)
    for _ in range(MAX_LEVELS):
        assignment = _move_nodes(graph, resolution)
        communities, community_of_node = np.unique(assignment, return_inverse=True)
        labels = community_of_node[labels]
        if len(communities) == graph.size:
            break
        graph = _merge_communities(graph, community_of_node, len(communities))
    return labels


def _move_nodes(graph: Graph, resolution: float) -> Numbers:
    """Move each node to the neighbouring community with the largest gain, round by round, until few nodes move. After the
    first round only nodes with a neighbour that moved are checked."""
    starts, targets, weights = graph.starts.tolist(), graph.targets.tolist(), graph.weights.tolist()
    rows = np.repeat(np.arange(graph.size), np.diff(graph.starts))
    degrees = (np.bincount(rows, graph.weights, graph.size) + graph.inside).tolist()
    scale = resolution / max(sum(degrees), 1e-12)
    community, weight_of_community = list(range(graph.size)), list(degrees)
    is_pending = [True] * graph.size
    for _ in range(MAX_ROUNDS):
        changed = 0
        for node in range(graph.size):
            if not is_pending[node]:
                continue
            is_pending[node] = False
            link_weights: dict[int, float] = {}
            edges = slice(starts[node], starts[node + 1])
            for target, weight in zip(targets[edges], weights[edges], strict=True):
                target_community = community[target]
                link_weights[target_community] = link_weights.get(target_community, 0.0) + weight
            own_community, degree = community[node], degrees[node]
            weight_of_community[own_community] -= degree
            chosen = _best(link_weights, own_community, weight_of_community, scale * degree)
            weight_of_community[chosen] += degree
            if chosen != own_community:
                community[node] = chosen
                changed += 1
                for target in targets[edges]:
                    is_pending[target] = is_pending[target] or community[target] != chosen
        if changed <= MIN_MOVED_SHARE * graph.size:
            break
    return np.array(community, dtype=np.int64)


def _best(
    link_weights: dict[int, float], own_community: int, weight_of_community: list[float], share: float
) -> int:
    """The community with the largest gain: its own unless another is better; ties go to the smaller number."""
    best, best_gain = (
        own_community,
        link_weights.get(own_community, 0.0) - share * weight_of_community[own_community] + 1e-12,
    )
    for community, weight in link_weights.items():
        gain = weight - share * weight_of_community[community]
        if gain > best_gain or (gain == best_gain and community < best != own_community):
            best, best_gain = community, gain
    return best


def _merge_communities(graph: Graph, community_of_node: Numbers, size: int) -> Graph:
    """The graph with each community as one node."""
    rows = community_of_node[np.repeat(np.arange(graph.size), np.diff(graph.starts))]
    columns = community_of_node[graph.targets]
    same = rows == columns
    inside = np.bincount(community_of_node, graph.inside, size) + np.bincount(
        rows[same], graph.weights[same], size
    )
    once = rows < columns
    pairs, place = np.unique(rows[once] * size + columns[once], return_inverse=True)
    low, high = np.divmod(pairs, size)
    between = np.bincount(place, graph.weights[once], len(pairs)).astype(np.float64)
    return _assemble(low, high, between, inside.astype(np.float64))


def _assemble(low: Numbers, high: Numbers, weights: Weights, inside: Weights) -> Graph:
    rows, columns = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((columns, rows))
    starts = np.searchsorted(rows[order], np.arange(len(inside) + 1))
    return Graph(starts, columns[order], np.concatenate([weights, weights])[order], inside)
