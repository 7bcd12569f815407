"""The ONNX graph of the multilingual encoder: a table, convolutions over 2, 3 and 5 pieces, and four dense layers.

The large products are int8; the dense layers see one row per text and stay in full precision. Padding is set to zero
before each convolution, so a text has the same vector in every batch.
"""

from typing import Any

import numpy as np

from headwater.documents.embedding.models import require_package
from headwater.documents.embedding.onnx_graph import GraphBuilder, NetworkShape, Weights
from headwater.documents.embedding.universal_weights import PARTS

WINDOWS = {2: 0, 3: 1, 5: 2}
"""The pieces of each convolution, and how many of them lie before the piece."""

DIMENSIONS, CHANNELS = 512, 256
FEATURES = DIMENSIONS + len(WINDOWS) * CHANNELS


def universal_graph(weights: Weights) -> Any:
    """An ONNX model: input token ids and mask (int32, padded on the right), output one unit vector per text."""
    builder = GraphBuilder(weights, NetworkShape(), require_package("onnx"))
    _masks(builder)
    embedded = _embedding(builder)
    convolved = _convolutions(builder, embedded)
    _dense(builder, _sum(builder, [embedded, *convolved]))
    return builder.model(DIMENSIONS)


def _masks(builder: GraphBuilder) -> None:
    for axis in (1, 2):
        builder.constant(f"axis.{axis}", np.array([axis], dtype=np.int64))
    builder.node("Cast", ["mask"], "mask.real", domain="", to=builder.onnx.TensorProto.FLOAT)
    builder.node("Unsqueeze", ["mask.real", "axis.2"], "mask.column", domain="")
    builder.node("ReduceSum", ["mask.real", "axis.1"], "pieces", domain="", keepdims=1)


def _embedding(builder: GraphBuilder) -> str:
    """Rows of the table, each scaled by its part."""
    builder.constant("table", builder.weights["table"])
    builder.constant("parts", np.array(PARTS, dtype=np.int32))
    builder.node("Gather", ["table", "ids"], "bytes", domain="")
    builder.node("Cast", ["bytes"], "levels", domain="", to=builder.onnx.TensorProto.FLOAT)
    builder.node("Mod", ["ids", "parts"], "part", domain="")
    for name in ("scale", "lo"):
        builder.constant(name, builder.weights[name].astype(np.float32)[:, None])
        builder.node("Gather", [name, "part"], f"{name}.piece", domain="")
    builder.node("Mul", ["levels", "scale.piece"], "scaled", domain="")
    return builder.node("Add", ["scaled", "lo.piece"], "embedded", domain="")


def _convolutions(builder: GraphBuilder, embedded: str) -> list[str]:
    weights = builder.weights
    joined = {
        name: np.concatenate([weights[f"{name}{width}"] for width in WINDOWS], axis=-1)
        for name in ("proj", "proj_b", "ln_g", "ln_b")
    }
    projected = _linear(builder, "proj", embedded, joined["proj"], joined["proj_b"])
    normalised = _normalise(builder, "proj", projected, joined["ln_g"], joined["ln_b"])
    visible = builder.node("Mul", [normalised, "mask.column"], "visible", domain="")
    parts = [f"narrow.{width}" for width in WINDOWS]
    builder.node("Split", [visible], *parts, domain="", axis=2)
    return [_convolution(builder, width, part) for width, part in zip(WINDOWS, parts, strict=True)]


def _convolution(builder: GraphBuilder, width: int, hidden: str) -> str:
    """Two layers with a shortcut each."""
    for layer in ("w1", "w2"):
        name = f"{layer}_{width}"
        bias = builder.weights[f"b{layer[1]}_{width}"]
        product = _linear(
            builder, name, _neighbours(builder, name, width, hidden), builder.weights[name], bias
        )
        positive = builder.node("Relu", [product], f"{name}.positive", domain="")
        total = builder.node("Add", [positive, hidden], f"{name}.total", domain="")
        hidden = builder.node("Mul", [total, "mask.column"], f"{name}.visible", domain="")
    return hidden


def _neighbours(builder: GraphBuilder, name: str, width: int, hidden: str) -> str:
    """Each piece with those around it, side by side."""
    before = WINDOWS[width]
    pads = builder.constant(
        f"{name}.pads", np.array([0, before, 0, 0, width - 1 - before, 0], dtype=np.int64)
    )
    padded = builder.node("Pad", [hidden, pads], f"{name}.padded", domain="")
    shifted = []
    for shift in range(width):
        start = builder.constant(f"{name}.start.{shift}", np.array([shift], dtype=np.int64))
        last = shift - width + 1
        end = builder.constant(
            f"{name}.end.{shift}", np.array([last or np.iinfo(np.int64).max], dtype=np.int64)
        )
        shifted.append(
            builder.node("Slice", [padded, start, end, "axis.1"], f"{name}.shifted.{shift}", domain="")
        )
    return builder.node("Concat", shifted, f"{name}.window", domain="", axis=2)


def _linear(builder: GraphBuilder, name: str, hidden: str, matrix: Any, bias: Any) -> str:
    quantised = builder.int8_constant(f"{name}.weight", matrix)
    bias_name = builder.constant(f"{name}.bias", bias.astype(np.float32))
    return builder.node("DynamicQuantizeMatMul", [hidden, *quantised, bias_name], f"{name}.product")


def _normalise(builder: GraphBuilder, name: str, hidden: str, scale: Any, bias: Any) -> str:
    constants = [
        builder.constant(f"{name}.norm.{part}", value.astype(np.float32))
        for part, value in (("scale", scale), ("bias", bias))
    ]
    epsilon = float(builder.weights["eps"])
    return builder.node(
        "LayerNormalization", [hidden, *constants], f"{name}.normal", domain="", axis=-1, epsilon=epsilon
    )


def _sum(builder: GraphBuilder, features: list[str]) -> str:
    """The sum over the pieces of a text, divided by the root of their number."""
    weights = builder.weights
    joined = builder.node("Concat", features, "features", domain="", axis=2)
    normalised = _normalise(builder, "features", joined, weights["ln_g"], weights["ln_b"])
    visible = builder.node("Mul", [normalised, "mask.column"], "features.visible", domain="")
    builder.node("ReduceSum", [visible, "axis.1"], "features.sum", domain="", keepdims=0)
    product = _full(builder, "cnn_W", "features.sum")
    bias = builder.constant("cnn_b", weights["cnn_b"].astype(np.float32))
    builder.node("Mul", ["pieces", bias], "pieces.bias", domain="")
    builder.node("Add", [product, "pieces.bias"], "total", domain="")
    builder.node("Sqrt", ["pieces"], "pieces.root", domain="")
    return builder.node("Div", ["total", "pieces.root"], "mean", domain="")


def _dense(builder: GraphBuilder, mean: str) -> None:
    first = builder.node("Relu", [_full(builder, "d0", mean)], "dense.0", domain="")
    both = [_full(builder, "p1", mean), _full(builder, "d1", first)]
    second = builder.node("Relu", [builder.node("Add", both, "dense.1.sum", domain="")], "dense.1", domain="")
    third = builder.node("Relu", [_full(builder, "d2", second)], "dense.2", domain="")
    both = [_full(builder, "p3", second), _full(builder, "d3", third)]
    builder.node("Tanh", [builder.node("Add", both, "dense.3.sum", domain="")], "dense.3", domain="")
    builder.node("LpNormalization", ["dense.3"], "vector", domain="", axis=1, p=2)


def _full(builder: GraphBuilder, name: str, hidden: str) -> str:
    matrix = builder.float_constant(name)
    return builder.node("MatMul", [hidden, matrix], f"{name}.product", domain="")
