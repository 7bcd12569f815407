"""The trained head as a file: int8 columns with their scales, some tens of kilobytes, read by NumPy alone."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from headwater.model.errors import Refused
from headwater.stories.topics.classifier import SCHEME, TopicClassifier

FILE = Path(__file__).parent / "topics.npz"
LARGEST = 127


def pack_classifier(head: TopicClassifier, encoder: str) -> bytes:
    """Says for which encoder and which words it was trained: another's vectors mean something else."""
    scale = np.abs(head.weights).max(axis=0) / LARGEST
    target = BytesIO()
    np.savez_compressed(
        target,
        weights=np.rint(head.weights / scale).astype(np.int8),
        scale=scale.astype(np.float32),
        bias=head.bias.astype(np.float32),
        codes=np.array(head.codes),
        least=np.array(head.least),
        encoder=np.array(encoder),
        words=np.array(SCHEME),
    )
    return target.getvalue()


def unpack_classifier(data: bytes, encoder: str) -> TopicClassifier:
    with np.load(BytesIO(data), allow_pickle=False) as held:
        _check(held, encoder)
        return TopicClassifier(
            codes=tuple(held["codes"].tolist()),
            weights=held["weights"].astype(np.float32) * held["scale"],
            bias=held["bias"],
            least=float(held["least"]),
        )


def _check(held: Any, encoder: str) -> None:
    trained = str(held["encoder"]), str(held["words"])
    if trained != (encoder, SCHEME):
        raise Refused(
            "other_encoder",
            f"the topics were trained for {trained[0]}, not for {encoder}; train them anew with training.topics",
        )


def load_classifier(encoder: str) -> TopicClassifier:
    """The head that comes with Headwater."""
    return unpack_classifier(FILE.read_bytes(), encoder)
