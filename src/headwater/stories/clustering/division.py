"""Divides clusters into parts."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int64]
Divide = Callable[[Sequence[int]], Sequence[Sequence[int]]]
"""The parts of a cluster, given its rows: positions among these."""


def divide_clusters(labels: Labels, divide: Divide) -> Labels:
    """The labels of clusters, where those that `divide` takes apart became several."""
    rows_by_label: defaultdict[int, list[int]] = defaultdict(list)
    for row, label in enumerate(labels.tolist()):
        rows_by_label[label].append(row)
    new_labels, following = labels.copy(), int(labels.max(initial=-1)) + 1
    for rows in rows_by_label.values():
        if len(rows) == 1:
            continue
        for part in divide(rows)[1:]:
            new_labels[[rows[position] for position in part]] = following
            following += 1
    return new_labels
