"""Names by a token classifier on the processor: any ONNX model with its tokenizer and the names of its labels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.documents.embedding.encoder import FILES, model_file
from headwater.documents.embedding.models import locate_model, require_package
from headwater.documents.mentions.entities import NamedEntity, TokenLabel, merge_tokens
from headwater.model.errors import Refused

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
WINDOW, OVERLAP = 256, 32
MOST_WINDOWS = 64


@dataclass(frozen=True)
class EntityRecogniser:
    """Opened at its first use; what is missing is said before. `least` is how sure it must be of a name."""

    model: str
    data: Path
    least: float = 0.5

    def checked(self) -> "EntityRecogniser":
        """Refused where there is no such model."""
        _, folder = locate_model(self.model, self.data)
        for names in (FILES, (TOKENIZER,), (CONFIG,)):
            model_file(folder, *names)
        return self

    @property
    def name(self) -> str:
        return locate_model(self.model, self.data)[0]

    def __call__(self, texts: Sequence[str]) -> list[list[NamedEntity]]:
        return [self._names(text.encode("utf-8", "replace").decode("utf-8")) for text in texts]

    @cached_property
    def _opened(self) -> tuple[Any, Any, Mapping[int, str]]:
        runtime, tokenizers = require_package("onnxruntime"), require_package("tokenizers")
        _, folder = locate_model(self.model, self.data)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = runtime.InferenceSession(
            str(model_file(folder, *FILES)), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = tokenizers.Tokenizer.from_file(str(model_file(folder, TOKENIZER)))
        tokenizer.enable_truncation(WINDOW, stride=OVERLAP)
        tokenizer.no_padding()
        return session, tokenizer, _labels(model_file(folder, CONFIG))

    def _names(self, text: str) -> list[NamedEntity]:
        """Windows overlap: a name that two of them see is one name, as the surer one sees it."""
        found: dict[int, NamedEntity] = {}
        for tokens in self._windows(text):
            for one in merge_tokens(text, tokens, self.least):
                known = found.get(one.start)
                if known is None or (one.end - one.start, one.score) > (known.end - known.start, known.score):
                    found[one.start] = one
        return _apart(found[start] for start in sorted(found))

    def _windows(self, text: str) -> Iterator[list[TokenLabel]]:
        session, tokenizer, labels = self._opened
        whole = tokenizer.encode(text)
        for window in [whole, *whole.overflowing][:MOST_WINDOWS]:
            sure = _softmax(_scores(session, window.ids))
            best = sure.argmax(axis=1)
            yield [
                TokenLabel(labels.get(int(label), "O"), float(sure[place, label]), *window.offsets[place])
                for place, label in enumerate(best)
                if not window.special_tokens_mask[place]
            ]


def _apart(entities: Iterator[NamedEntity]) -> list[NamedEntity]:
    """A name that begins inside another one is the end of it, cut by a window."""
    kept: list[NamedEntity] = []
    for one in entities:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _scores(session: Any, ids: Sequence[int]) -> npt.NDArray[Any]:
    asked = session.get_inputs()
    kind = np.int32 if "int32" in asked[0].type else np.int64
    row = np.array([ids], dtype=kind)
    told = {"input_ids": row, "ids": row, "attention_mask": np.ones_like(row), "mask": np.ones_like(row)}
    feed = {given.name: told.get(given.name, np.zeros_like(row)) for given in asked}
    found: npt.NDArray[Any] = session.run(None, feed)[0][0]
    return found


def _softmax(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    made: npt.NDArray[Any] = raised / raised.sum(axis=1, keepdims=True)
    return made


def _labels(path: Path) -> Mapping[int, str]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["id2label"]
        return {int(number): str(label) for number, label in told.items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise Refused("no_model", f"{path} does not name the labels of the model (id2label)") from error
