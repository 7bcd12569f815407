"""The trained topic classifier as a file: int8 columns with their scales, a few tens of kilobytes."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from headwater.model.errors import Refused
from headwater.stories.topics.classifier import SCHEME, TopicClassifier

FILE = Path(__file__).parent / "topics.npz"


def unpack_classifier(data: bytes, encoder: str) -> TopicClassifier:
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        _check(arrays, encoder)
        return TopicClassifier(
            codes=tuple(arrays["codes"].tolist()),
            weights=arrays["weights"].astype(np.float32) * arrays["scale"],
            bias=arrays["bias"],
            threshold=float(arrays["least"]),
        )


def _check(arrays: Any, encoder: str) -> None:
    trained = str(arrays["encoder"]), str(arrays["words"])
    if trained != (encoder, SCHEME):
        raise Refused(
            "other_encoder",
            f"the topic classifier was trained for {trained[0]}, not for {encoder}; train it again with training.topics",
        )


def load_classifier(encoder: str) -> TopicClassifier:
    """The classifier that comes with Headwater."""
    return unpack_classifier(FILE.read_bytes(), encoder)
