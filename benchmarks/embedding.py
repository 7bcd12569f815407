"""Sentence embeddings: speed and accuracy, compared with PyTorch at full precision in the same run.

    python -m benchmarks.embedding [--data DIR]

One thread each, batches of 32, texts sorted by length for both. Needs the extra nlp. Without torch, the package's own
network at full precision replaces it, and the figures say so. The last line is one JSON object.
"""

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime

from headwater.documents.embedding.encoder import Encoder, _pad, open_encoder
from headwater.documents.embedding.onnx_graph import layers_of
from headwater.documents.embedding.weights import find_bundled_model, read_weights

ROUNDS = 3
SAMPLE = 256
INVENTED = "The council of Dunmore voted on Monday to widen the northern channel by {} metres before {}. "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        encode = open_encoder(Path(folder), "english")
        built = time.perf_counter() - start
        print(json.dumps({"built_s": round(built, 2), **compare(encode, options.data)}))


def compare(encode: Encoder, data: Path | None) -> dict[str, object]:
    name, peer = opponent(encode)
    figures: dict[str, object] = {"peer": name}
    print(f"{'texts':<22}{'ours ms':>9}{'peer ms':>9}{'ratio':>7}{'cosine':>8}{'least':>7}   peer: {name}")
    for kind, texts in corpora(data).items():
        ours, mine = timed(encode, texts)
        theirs, yours = timed(peer, texts)
        alike = (mine * yours).sum(axis=1)
        row = {"ratio": round(theirs / ours, 2), "cosine": round(float(alike.mean()), 4)}
        figures[kind] = {**row, "least": round(float(alike.min()), 4), "ours_ms": round(ours, 2)}
        print(f"{kind:<22}{ours:>9.2f}{theirs:>9.2f}{row['ratio']:>7}{row['cosine']:>8}{alike.min():>7.3f}")
    return figures


def corpora(data: Path | None) -> dict[str, list[str]]:
    if data is None:
        return {"invented": [INVENTED.format(n, 2000 + n) * (1 + n % 6) for n in range(SAMPLE)]}
    with gzip.open(data / "stories" / "headlines.jsonl.gz", "rt") as lines:
        headlines = sorted({json.loads(line)["title"] for line in lines})[::20][:SAMPLE]
    with gzip.open(data / "summaries" / "validation.jsonl.gz", "rt") as lines:
        leads = [json.loads(line)["article"][:1000] for line in lines][:SAMPLE]
    return {"headlines": headlines, "leads of articles": leads}


def timed(encode: Callable, texts: list[str]) -> tuple[float, np.ndarray]:
    """CPU milliseconds per text: the best of three rounds."""
    encode(texts[:32])
    costs = []
    for _ in range(ROUNDS):
        start = time.process_time()
        vectors = encode(texts)
        costs.append(time.process_time() - start)
    return 1000 * min(costs) / len(texts), vectors


def opponent(encode: Encoder) -> tuple[str, Callable]:
    if find_spec("torch") is None:
        return "onnxruntime fp32 (stands in for torch)", in_batches(encode, full_precision())
    torch = import_module("torch")
    torch.set_num_threads(1)
    return f"torch {torch.__version__} fp32", in_batches(encode, in_torch(torch))


def in_batches(encode: Encoder, network: Callable) -> Callable:
    def run(texts: list[str]) -> np.ndarray:
        ids = [encoding.ids for encoding in encode.tokenizer.encode_batch(texts)]
        vectors = np.zeros((len(texts), 384), dtype=np.float32)
        order = sorted(range(len(ids)), key=lambda position: len(ids[position]))
        for positions in np.array_split(order, range(32, len(order), 32)):
            vectors[positions] = network(*_pad([ids[p] for p in positions], np.int64))
        return vectors

    return run


def full_precision() -> Callable:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(find_bundled_model().network), options, providers=["CPUExecutionProvider"]
    )

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        total = (session.run(None, feed)[0] * mask[:, :, None]).sum(axis=1)
        return total / np.linalg.norm(total, axis=1, keepdims=True)

    return run


def in_torch(torch) -> Callable:
    """The same network in PyTorch's own fused operations, from the same weights."""
    functional = torch.nn.functional
    weights = {
        name: torch.from_numpy(np.array(value))
        for name, value in read_weights(find_bundled_model().network).items()
    }

    def linear(name, hidden):
        return hidden @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def norm(name, hidden):
        return functional.layer_norm(
            hidden, (384,), weights[f"{name}.norm.weight"], weights[f"{name}.norm.bias"], 1e-12
        )

    def layer(at, hidden, attention_mask):
        rows, length, _ = hidden.shape
        parts = [
            linear(f"{at}.{n}", hidden).view(rows, length, 12, 32).transpose(1, 2)
            for n in ("query", "key", "value")
        ]
        mixed = functional.scaled_dot_product_attention(*parts, attn_mask=attention_mask)
        mixed = mixed.transpose(1, 2).reshape(rows, length, 384)
        attended = norm(f"{at}.attended", linear(f"{at}.attended", mixed) + hidden)
        wide = functional.gelu(linear(f"{at}.wide", attended))
        return norm(f"{at}.narrow", linear(f"{at}.narrow", wide) + attended)

    @torch.inference_mode()
    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        words, places = weights["embeddings.word"], weights["embeddings.position"]
        hidden = words[torch.from_numpy(ids)] + places[: ids.shape[1]] + weights["embeddings.type"][0]
        hidden = norm("embeddings", hidden)
        token_mask = torch.from_numpy(mask)
        attention_mask = token_mask[:, None, None, :].bool()
        for number in range(layers_of(weights)):
            hidden = layer(f"layer.{number}", hidden, attention_mask)
        return functional.normalize((hidden * token_mask[:, :, None]).sum(dim=1)).numpy()

    return run


if __name__ == "__main__":
    main()
