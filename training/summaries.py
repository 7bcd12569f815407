"""Trains the weights that choose the sentences of summaries: `python -m training.summaries --data DIR`.

DIR holds `summaries/validation.jsonl.gz`: articles with the highlights that an editor wrote. Two steps. A network learns which words of an
article stand in its highlights. Then the weights of a choice of sentences are trained for the expected ROUGE-1, where the better a choice
is by these weights, the more probable it is. First for folds of the articles, whose held-out figures are printed, then for all of them. Needs SciPy.
"""

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from headwater.stories.extractive_summary import SummarySource, choose_sentences, read_sentences
from headwater.stories.sentence_choice import shortlist
from headwater.stories.summary_model import FILE, SENTENCES, Choices, SummaryModel
from headwater.stories.summary_words import Floats, StoryText, StoryWords

FOLDS, SPLITS = 5, 3
HIDDEN, NETWORKS = 8, 3
NETWORK_DECAY, CHOICE_DECAY = 3e-5, 1e-4
NETWORK_STEPS, CHOICE_STEPS = 150, 60
MOST_WORDS = 80
"""Of a choice that is trained on; the summary itself is shorter."""
MAIN_FEATURE = 1
"""Training begins with this feature alone: the expected F1 against forty words."""


@dataclass(frozen=True)
class Article:
    text: str
    highlights: Counter[str]
    words: StoryWords
    features: Floats
    answers: Floats


@dataclass(frozen=True)
class TrainingChoices:
    features: Floats
    rouge: Floats


def read_articles(path: Path) -> list[Article]:
    with gzip.open(path, "rt") as lines:
        return [_article(json.loads(line)) for line in lines]


def _article(row: dict[str, str]) -> Article:
    highlights = count_words(row["highlights"])
    sentences = read_sentences([SummarySource("a", row["article"])])
    words = StoryWords.read([StoryText([s.text for s in sentences], [s.place for s in sentences], 1)])
    answers = np.array([word in highlights for word in words.words], dtype=np.float64)
    return Article(row["article"], highlights, words, words.word_features(), answers)


def count_words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def rouge(summary: Counter[str], reference: Counter[str]) -> float:
    return 2 * (summary & reference).total() / max(1, summary.total() + reference.total())


def train_network(articles: Sequence[Article]) -> SummaryModel:
    """Several networks as one: its hidden layers side by side, its logit the mean of theirs."""
    models = [train_one_network(articles, seed) for seed in range(NETWORKS)]
    return replace(
        models[0],
        hidden=np.hstack([model.hidden for model in models]),
        hidden_bias=np.concatenate([model.hidden_bias for model in models]),
        output=np.concatenate([model.output for model in models]) / NETWORKS,
        direct=np.mean([model.direct for model in models], axis=0),
        bias=np.mean([model.bias for model in models], axis=0),
    )


def train_one_network(articles: Sequence[Article], seed: int) -> SummaryModel:
    features = np.vstack([article.features for article in articles])
    answers = np.concatenate([article.answers for article in articles])
    mean, scale = features.mean(axis=0), features.std(axis=0)
    rows = (features - mean) / scale
    width = rows.shape[1]
    shapes = [(width, HIDDEN), (HIDDEN,), (HIDDEN,), (width,), (1,)]
    places = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])

    def parts(values: Floats) -> list[Floats]:
        return [
            values[start:end].reshape(shape)
            for start, end, shape in zip(places[:-1], places[1:], shapes, strict=True)
        ]

    def loss(values: Floats) -> tuple[float, Floats]:
        hidden_weights, hidden_bias, output, direct, bias = parts(values)
        hidden = np.tanh(rows @ hidden_weights + hidden_bias)
        logits = hidden @ output + rows @ direct + bias
        errors = (1 / (1 + np.exp(-logits)) - answers) / len(answers)
        inner = np.outer(errors, output) * (1 - hidden * hidden)
        weights = np.concatenate([hidden_weights.ravel(), np.zeros(HIDDEN), output, direct, np.zeros(1)])
        gradient = np.concatenate(
            [(rows.T @ inner).ravel(), inner.sum(axis=0), hidden.T @ errors, rows.T @ errors, [errors.sum()]]
        )
        total = np.mean(np.logaddexp(0, logits) - answers * logits) + NETWORK_DECAY * weights @ weights
        return float(total), gradient + 2 * NETWORK_DECAY * weights

    chance = np.random.default_rng(seed)
    start = np.zeros(places[-1])
    start[: places[1]] = chance.normal(0, width**-0.5, width * HIDDEN)
    start[places[2] : places[3]] = chance.normal(0, 0.3, HIDDEN)
    start[-1] = -2.0
    answer = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": NETWORK_STEPS})
    hidden_weights, hidden_bias, output, direct, bias = parts(answer.x)
    return SummaryModel(mean, scale, hidden_weights, hidden_bias, output, direct, bias, np.zeros(1))


def training_choices(article: Article, model: SummaryModel) -> TrainingChoices:
    words = article.words
    probabilities = model.word_probabilities(article.features)
    (positions,) = shortlist(words, probabilities, SENTENCES)
    choices = [
        choice
        for size in range(1, SENTENCES + 1)
        for choice in combinations(positions, size)
        if size == 1 or words.lengths[list(choice)].sum() <= MOST_WORDS
    ]
    member = np.zeros((len(choices), len(words.texts)))
    for number, choice in enumerate(choices):
        member[number, list(choice)] = 1.0
    has_word = np.zeros((len(words.texts), len(words.spelt_as)))
    has_word[words.pair_sentences, words.pair_words] = 1.0
    features = Choices(
        ((member @ has_word) > 0) @ probabilities,
        member @ (has_word @ probabilities),
        member @ words.lengths,
        member.sum(axis=1),
        (member @ words.sentence_features()).T,
    ).features(SENTENCES)
    counts = [count_words(text) for text in words.texts]
    scores = [
        rouge(sum((counts[position] for position in choice), Counter()), article.highlights)
        for choice in choices
    ]
    return TrainingChoices(features, np.array(scores))


def train_choice(rows: Sequence[TrainingChoices]) -> Floats:
    everything = np.vstack([row.features for row in rows])
    scale = everything.std(axis=0)
    scaled = [row.features / scale for row in rows]

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = 0.0, np.zeros(len(weights))
        for features, row in zip(scaled, rows, strict=True):
            values = features @ weights
            shares = np.exp(values - values.max())
            shares /= shares.sum()
            mean = float(shares @ row.rouge)
            total -= mean
            gradient -= (shares * (row.rouge - mean)) @ features
        return (
            total / len(rows) + CHOICE_DECAY * float(weights @ weights),
            gradient / len(rows) + 2 * CHOICE_DECAY * weights,
        )

    start = np.zeros(len(scale))
    start[MAIN_FEATURE] = 3.0
    answer = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": CHOICE_STEPS})
    return np.asarray(answer.x / scale)


def train(articles: Sequence[Article]) -> SummaryModel:
    """The choices are trained on words that the network judged without having seen their articles."""
    rows: list[TrainingChoices] = []
    for fold in range(FOLDS):
        network = train_network([a for n, a in enumerate(articles) if n % FOLDS != fold])
        rows += [training_choices(a, network) for n, a in enumerate(articles) if n % FOLDS == fold]
    return replace(train_network(articles), choice=train_choice(rows))


def score(articles: Sequence[Article], model: SummaryModel) -> list[tuple[float, int, int]]:
    """For each article ROUGE-1, words and sentences of its summary."""
    results = []
    for article in articles:
        sentences = read_sentences([SummarySource("a", article.text)])
        (chosen,) = choose_sentences([sentences], SENTENCES, [1], model)
        texts = [sentences[n].text for n in chosen]
        words = count_words(" ".join(texts))
        results.append((rouge(words, article.highlights), words.total(), len(texts)))
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=SPLITS)
    options = parser.parse_args()
    articles = read_articles(options.data / "summaries" / "validation.jsonl.gz")
    for split in range(options.splits):
        order = np.random.default_rng(split).permutation(len(articles))
        unseen: list[tuple[float, int, int]] = []
        for fold in range(FOLDS):
            model = train([articles[n] for n in order[np.arange(len(order)) % FOLDS != fold]])
            unseen += score([articles[n] for n in order[fold::FOLDS]], model)
        means = np.mean(unseen, axis=0)
        figures = {"split": split, "held_out": means[0], "words": means[1], "sentences": means[2]}
        sys.stdout.write(json.dumps(figures) + "\n")
    model = train(articles)
    sys.stdout.write(json.dumps({"trained_on": float(np.mean(score(articles, model), axis=0)[0])}) + "\n")
    np.savez(FILE, **{name: np.float32(getattr(model, name)) for name in SummaryModel.__dataclass_fields__})


if __name__ == "__main__":
    main()
