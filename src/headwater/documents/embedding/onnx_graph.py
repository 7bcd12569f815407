"""The encoder's graph, written out: a BERT with fused attention and int8 weights, mean pooling and unit length inside.

An exporter would need torch, and an optimiser that recognises attention in its output. The network is small enough to
be said node by node instead, in the operators that onnxruntime runs fused; the same weights give the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.documents.embedding.models import require_package

Array = npt.NDArray[Any]
Weights = Mapping[str, Array]
OPSET, IR_VERSION = 17, 8
FUSED = "com.microsoft"


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """What the weights do not say. `largest` is the int8 value that the largest weight of a column becomes: 64 keeps
    pairs of products inside 16 bits, which processors without dot-product instructions add them up in."""

    heads: int = 12
    epsilon: float = 1e-12
    largest: int = 64


def encoder_graph(weights: Weights, shape: NetworkShape) -> Any:
    """An ONNX model: token ids and mask (int32, padded on the right) in, one unit vector per text out."""
    drawing = GraphBuilder(weights, shape, require_package("onnx"))
    hidden = drawing.embedded()
    for layer in range(layers_of(weights)):
        hidden = drawing.layer(f"layer.{layer}", hidden)
    drawing.pooled(hidden)
    return drawing.model()


def layers_of(weights: Weights) -> int:
    return len({name.split(".")[1] for name in weights if name.startswith("layer.")})


def int8_columns(matrix: Array, largest: int) -> tuple[Array, Array]:
    """Whole numbers and, per column, what one of them is worth."""
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / largest
    return np.rint(matrix / scale).astype(np.int8), scale.astype(np.float32)


@dataclass(frozen=True, slots=True)
class GraphBuilder:
    weights: Weights
    shape: NetworkShape
    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def node(self, operator: str, inputs: list[str], *outputs: str, domain: str = FUSED, **more: Any) -> str:
        made = self.onnx.helper.make_node(operator, inputs, list(outputs), outputs[0], domain=domain, **more)
        self.nodes.append(made)
        return outputs[0]

    def constant(self, name: str, value: Array) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def real(self, name: str) -> str:
        return self.constant(name, self.weights[name].astype(np.float32))

    def small(self, name: str, matrix: Array) -> tuple[str, str, str]:
        """A matrix in int8 with its scales and zeros."""
        whole, scale = int8_columns(matrix, self.shape.largest)
        zero = np.zeros(len(scale), dtype=np.int8)
        return (
            self.constant(name, whole),
            self.constant(f"{name}.scale", scale),
            self.constant(f"{name}.zero", zero),
        )

    def embedded(self) -> str:
        # One kind of segment only: its vector is part of every position's.
        places = self.weights["embeddings.position"] + self.weights["embeddings.type"][0]
        tables = [
            self.real("embeddings.word"),
            self.constant("embeddings.position", places.astype(np.float32)),
        ]
        norm = [self.real("embeddings.norm.weight"), self.real("embeddings.norm.bias")]
        inputs = ["ids", "", *tables, "", *norm, "mask"]
        return self.node("EmbedLayerNormalization", inputs, "embedded", "lengths", epsilon=self.shape.epsilon)

    def layer(self, at: str, hidden: str) -> str:
        mixed = self._attention(at, hidden)
        attended = self._joined(f"{at}.attended", mixed, hidden)
        wide = self.node("Gelu", [self._linear(f"{at}.wide", attended)], f"{at}.bent")
        return self._joined(f"{at}.narrow", wide, attended)

    def _attention(self, at: str, hidden: str) -> str:
        parts = [f"{at}.{name}" for name in ("query", "key", "value")]
        matrix, scale, zero = self.small(
            f"{at}.qkv", np.hstack([self.weights[f"{part}.weight"] for part in parts])
        )
        bias = self.constant(f"{at}.qkv.bias", np.hstack([self.weights[f"{part}.bias"] for part in parts]))
        told = (f"{at}.whole", f"{at}.whole.scale", f"{at}.whole.zero")
        self.node("DynamicQuantizeLinear", [hidden], *told, domain="")
        inputs = [told[0], matrix, bias, told[1], scale, "lengths", told[2], zero]
        return self.node("QAttention", inputs, f"{at}.mixed", num_heads=self.shape.heads)

    def _linear(self, name: str, hidden: str) -> str:
        matrix = self.small(f"{name}.weight", self.weights[f"{name}.weight"])
        return self.node(
            "DynamicQuantizeMatMul", [hidden, *matrix, self.real(f"{name}.bias")], f"{name}.product"
        )

    def _joined(self, name: str, hidden: str, beside: str) -> str:
        """A linear map, the shortcut around it and the normalisation."""
        norm = [self.real(f"{name}.norm.weight"), self.real(f"{name}.norm.bias")]
        inputs = [self._linear(name, hidden), beside, *norm]
        return self.node("SkipLayerNormalization", inputs, name, epsilon=self.shape.epsilon)

    def pooled(self, hidden: str) -> None:
        axes = [self.constant(f"axis.{axis}", np.array([axis], dtype=np.int64)) for axis in (1, 2)]
        self.node("Cast", ["mask"], "mask.real", domain="", to=self.onnx.TensorProto.FLOAT)
        self.node("Unsqueeze", ["mask.real", axes[1]], "mask.column", domain="")
        self.node("Mul", [hidden, "mask.column"], "kept", domain="")
        # A sum points where the mean points: there is nothing to divide by before it is brought to unit length.
        self.node("ReduceSum", ["kept", axes[0]], "total", domain="", keepdims=0)
        self.node("LpNormalization", ["total"], "vector", domain="", axis=1, p=2)

    def model(self) -> Any:
        make, kinds = self.onnx.helper, self.onnx.TensorProto
        size = ["batch", "length"]
        inputs = [make.make_tensor_value_info(name, kinds.INT32, size) for name in ("ids", "mask")]
        width = self.weights["embeddings.word"].shape[1]
        outputs = [make.make_tensor_value_info("vector", kinds.FLOAT, ["batch", width])]
        graph = make.make_graph(self.nodes, "encoder", inputs, outputs, self.constants)
        opsets = [make.make_opsetid("", OPSET), make.make_opsetid(FUSED, 1)]
        return make.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
