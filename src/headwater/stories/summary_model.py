"""How good a choice of sentences is as a summary, by weights that `training/summaries.py` found.

A small network says how likely a word is to stand in the summary of an editor. Of a choice of sentences it follows how many of its words
an editor would use, for its length; place, figures and names of the sentences count beside that.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from headwater.stories.summary_words import Floats, as_columns

FILE = Path(__file__).parent / "summary_model.npz"
REFERENCE_WORDS = (25, 40, 60)
"""Words that a summary of three sentences is compared with, as if an editor had written so many."""
SENTENCES = 3
"""The number of sentences that the weights were trained for; other summaries are measured in proportion."""
USUAL_WORDS = 50
WORDS_AT_ONCE = 1_024
"""So many stay in the cache of the processor, and are too few for the library to share among threads, which then wait for
work at full speed and so double the cost."""


@dataclass(frozen=True)
class SummaryModel:
    """The network has one hidden layer beside a direct path. `choice` weighs the features of a choice of sentences."""

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    output: Floats
    direct: Floats
    bias: Floats
    choice: Floats

    def word_probabilities(self, features: Floats) -> Floats:
        probabilities = np.empty(len(features))
        for start in range(0, len(features), WORDS_AT_ONCE):
            part = slice(start, start + WORDS_AT_ONCE)
            probabilities[part] = self._probabilities(features[part])
        return probabilities

    def _probabilities(self, features: Floats) -> Floats:
        rows = features - self.mean
        rows /= self.scale
        hidden = rows @ self.hidden
        hidden += self.hidden_bias
        np.tanh(hidden, out=hidden)
        values: Floats = hidden @ self.output
        values += rows @ self.direct
        values += self.bias
        np.exp(-values, out=values)
        values += 1
        return np.divide(1, values, out=values)


@cache
def load_summary_model() -> SummaryModel:
    with np.load(FILE) as arrays:
        return SummaryModel(**{name: arrays[name].astype(np.float64) for name in arrays.files})


@dataclass(frozen=True)
class Choices:
    """Choices of sentences: how many of their words are expected in the summary of an editor, how many if words that two sentences
    have counted twice, their words, their sentences, and the sums of the features of their sentences, one row per feature."""

    expected: Floats
    repeated: Floats
    words: Floats
    sentences: Floats | int
    traits: Floats

    def features(self, count: int) -> Floats:
        """`count`: the sentences that are wanted."""
        proportion = SENTENCES / count
        expected, words = self.expected * proportion, self.words * proportion
        long = words / USUAL_WORDS
        columns = (
            *(2 * expected / (words + reference) for reference in REFERENCE_WORDS),
            long,
            long * long,
            np.equal(self.sentences, 1),
            1 - self.expected / np.maximum(self.repeated, 1e-9),
            *(self.traits / self.sentences),
        )
        return as_columns(columns)
