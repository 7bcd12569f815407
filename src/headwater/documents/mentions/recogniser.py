"""Named entities by a token classifier on the CPU: any ONNX model with its tokenizer and label names."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.documents.embedding.models import MODEL_FILES, TOKENIZER, locate_model, model_file, open_model
from headwater.documents.mentions.entities import NamedEntity, TokenLabel, merge_tokens
from headwater.model.errors import Refused

CONFIG = "config.json"
WINDOW, OVERLAP = 256, 32
MAX_WINDOWS = 64


@dataclass(frozen=True)
class EntityRecogniser:
    """A token classifier, loaded at its first use. Entities below the score `min_score` are left out."""

    model: str
    data: Path
    min_score: float = 0.5

    def check_files(self) -> "EntityRecogniser":
        """This recogniser, if the files of its model exist; otherwise Refused."""
        _, folder = locate_model(self.model, self.data)
        for names in (MODEL_FILES, (TOKENIZER,), (CONFIG,)):
            model_file(folder, *names)
        return self

    @property
    def name(self) -> str:
        return locate_model(self.model, self.data)[0]

    def __call__(self, texts: Sequence[str]) -> list[list[NamedEntity]]:
        return [self._names(text.encode("utf-8", "replace").decode("utf-8")) for text in texts]

    @cached_property
    def _model(self) -> tuple[Any, Any, Mapping[int, str]]:
        _, folder = locate_model(self.model, self.data)
        session, tokenizer = open_model(folder)
        tokenizer.enable_truncation(WINDOW, stride=OVERLAP)
        return session, tokenizer, _labels(model_file(folder, CONFIG))

    def _names(self, text: str) -> list[NamedEntity]:
        """Windows overlap: of an entity in two of them the longer, then the more confident reading counts."""
        entities: dict[int, NamedEntity] = {}
        for tokens in self._windows(text):
            for entity in merge_tokens(text, tokens, self.min_score):
                earlier = entities.get(entity.start)
                if earlier is None or (entity.end - entity.start, entity.score) > (
                    earlier.end - earlier.start,
                    earlier.score,
                ):
                    entities[entity.start] = entity
        return _disjoint(entities[start] for start in sorted(entities))

    def _windows(self, text: str) -> Iterator[list[TokenLabel]]:
        session, tokenizer, labels = self._model
        encoding = tokenizer.encode(text)
        for window in [encoding, *encoding.overflowing][:MAX_WINDOWS]:
            probabilities = _softmax(_scores(session, window.ids))
            best = probabilities.argmax(axis=1)
            yield [
                TokenLabel(
                    labels.get(int(label), "O"),
                    float(probabilities[position, label]),
                    *window.offsets[position],
                )
                for position, label in enumerate(best)
                if not window.special_tokens_mask[position]
            ]


def _disjoint(entities: Iterator[NamedEntity]) -> list[NamedEntity]:
    """Without entities that start inside another one: a window cut them off."""
    disjoint: list[NamedEntity] = []
    for entity in entities:
        if not disjoint or entity.start >= disjoint[-1].end:
            disjoint.append(entity)
    return disjoint


def _scores(session: Any, ids: Sequence[int]) -> npt.NDArray[Any]:
    inputs = session.get_inputs()
    integer = np.int32 if "int32" in inputs[0].type else np.int64
    row = np.array([ids], dtype=integer)
    arrays = {"input_ids": row, "ids": row, "attention_mask": np.ones_like(row), "mask": np.ones_like(row)}
    feed = {argument.name: arrays.get(argument.name, np.zeros_like(row)) for argument in inputs}
    scores: npt.NDArray[Any] = session.run(None, feed)[0][0]
    return scores


def _softmax(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: npt.NDArray[Any] = exponentials / exponentials.sum(axis=1, keepdims=True)
    return probabilities


def _labels(path: Path) -> Mapping[int, str]:
    try:
        labels = json.loads(path.read_text(encoding="utf-8"))["id2label"]
        return {int(number): str(label) for number, label in labels.items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise Refused(
            "no_model", f"{path} has no label names (id2label); give the config.json of a token classifier"
        ) from error
