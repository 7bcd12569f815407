"""The trained topic classifiers as files: int8 columns with their scales, a hundred kilobytes each."""

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from headwater.model.errors import Refused
from headwater.stories.topics.classifier import SCHEME, TopicClassifier

FILE = Path(__file__).parent / "topics.npz"
WORDS_FILE = Path(__file__).parent / "topic_words.npz"
WORDS_ALONE = "words"
"""Stands in a file for the encoder of a classifier that needs none."""


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


@cache
def load_classifier(encoder: str) -> TopicClassifier:
    """The classifier over vectors and words that comes with Headwater."""
    return unpack_classifier(FILE.read_bytes(), encoder)


@cache
def load_word_classifier() -> TopicClassifier:
    """The classifier over words alone that comes with Headwater."""
    return unpack_classifier(WORDS_FILE.read_bytes(), WORDS_ALONE)
