"""The ONNX graph of the encoder: a BERT with fused attention, int8 weights, mean pooling and unit-length output.

An exporter would need torch and an optimiser that finds attention in its output. This network is small enough to write
node by node, in the fused operators of onnxruntime; the same weights produce the same bytes.
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
    """Parameters that the weights do not contain. `largest` is the int8 value of the largest weight of a column: 64 keeps
    pairs of products within 16 bits, in which CPUs without dot-product instructions add them up."""

    heads: int = 12
    epsilon: float = 1e-12
    largest: int = 64


def encoder_graph(weights: Weights, shape: NetworkShape) -> Any:
    """An ONNX model: input token ids and mask (int32, padded on the right), output one unit vector per text."""
    builder = GraphBuilder(weights, shape, require_package("onnx"))
    hidden = builder.embedding()
    for layer in range(layers_of(weights)):
        hidden = builder.layer(f"layer.{layer}", hidden)
    builder.pooling(hidden)
    return builder.model(weights["embeddings.word"].shape[1])


def layers_of(weights: Weights) -> int:
    return len({name.split(".")[1] for name in weights if name.startswith("layer.")})


def int8_columns(matrix: Array, largest: int) -> tuple[Array, Array]:
    """The quantised matrix and the scale of each column."""
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / largest
    return np.rint(matrix / scale).astype(np.int8), scale.astype(np.float32)


@dataclass(frozen=True, slots=True)
class GraphBuilder:
    weights: Weights
    shape: NetworkShape
    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def node(
        self, operator: str, inputs: list[str], *outputs: str, domain: str = FUSED, **attributes: Any
    ) -> str:
        node = self.onnx.helper.make_node(
            operator, inputs, list(outputs), outputs[0], domain=domain, **attributes
        )
        self.nodes.append(node)
        return outputs[0]

    def constant(self, name: str, value: Array) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def float_constant(self, name: str) -> str:
        return self.constant(name, self.weights[name].astype(np.float32))

    def int8_constant(self, name: str, matrix: Array) -> tuple[str, str, str]:
        """The names of an int8 matrix, its scales and its zero points."""
        quantised, scale = int8_columns(matrix, self.shape.largest)
        zero = np.zeros(len(scale), dtype=np.int8)
        return (
            self.constant(name, quantised),
            self.constant(f"{name}.scale", scale),
            self.constant(f"{name}.zero", zero),
        )

    def embedding(self) -> str:
        # There is one segment type only, so its vector is added to every position.
        positions = self.weights["embeddings.position"] + self.weights["embeddings.type"][0]
        tables = [
            self.float_constant("embeddings.word"),
            self.constant("embeddings.position", positions.astype(np.float32)),
        ]
        norm = [self.float_constant("embeddings.norm.weight"), self.float_constant("embeddings.norm.bias")]
        inputs = ["ids", "", *tables, "", *norm, "mask"]
        return self.node("EmbedLayerNormalization", inputs, "embedded", "lengths", epsilon=self.shape.epsilon)

    def layer(self, prefix: str, hidden: str) -> str:
        attention = self._attention(prefix, hidden)
        attended = self._skip_layer(f"{prefix}.attended", attention, hidden)
        wide = self.node("Gelu", [self._linear(f"{prefix}.wide", attended)], f"{prefix}.bent")
        return self._skip_layer(f"{prefix}.narrow", wide, attended)

    def _attention(self, prefix: str, hidden: str) -> str:
        parts = [f"{prefix}.{name}" for name in ("query", "key", "value")]
        matrix, scale, zero = self.int8_constant(
            f"{prefix}.qkv", np.hstack([self.weights[f"{part}.weight"] for part in parts])
        )
        bias = self.constant(
            f"{prefix}.qkv.bias", np.hstack([self.weights[f"{part}.bias"] for part in parts])
        )
        quantised = (f"{prefix}.whole", f"{prefix}.whole.scale", f"{prefix}.whole.zero")
        self.node("DynamicQuantizeLinear", [hidden], *quantised, domain="")
        inputs = [quantised[0], matrix, bias, quantised[1], scale, "lengths", quantised[2], zero]
        return self.node("QAttention", inputs, f"{prefix}.mixed", num_heads=self.shape.heads)

    def _linear(self, name: str, hidden: str) -> str:
        matrix = self.int8_constant(f"{name}.weight", self.weights[f"{name}.weight"])
        return self.node(
            "DynamicQuantizeMatMul", [hidden, *matrix, self.float_constant(f"{name}.bias")], f"{name}.product"
        )

    def _skip_layer(self, name: str, hidden: str, beside: str) -> str:
        """A linear layer with its skip connection and normalisation."""
        norm = [self.float_constant(f"{name}.norm.weight"), self.float_constant(f"{name}.norm.bias")]
        inputs = [self._linear(name, hidden), beside, *norm]
        return self.node("SkipLayerNormalization", inputs, name, epsilon=self.shape.epsilon)

    def pooling(self, hidden: str) -> None:
        axes = [self.constant(f"axis.{axis}", np.array([axis], dtype=np.int64)) for axis in (1, 2)]
        self.node("Cast", ["mask"], "mask.real", domain="", to=self.onnx.TensorProto.FLOAT)
        self.node("Unsqueeze", ["mask.real", axes[1]], "mask.column", domain="")
        self.node("Mul", [hidden, "mask.column"], "kept", domain="")
        # The sum has the direction of the mean, and the result is normalised anyway.
        self.node("ReduceSum", ["kept", axes[0]], "total", domain="", keepdims=0)
        self.node("LpNormalization", ["total"], "vector", domain="", axis=1, p=2)

    def model(self, width: int) -> Any:
        """The finished graph, with the output `vector` of this width."""
        make, kinds = self.onnx.helper, self.onnx.TensorProto
        size = ["batch", "length"]
        inputs = [make.make_tensor_value_info(name, kinds.INT32, size) for name in ("ids", "mask")]
        outputs = [make.make_tensor_value_info("vector", kinds.FLOAT, ["batch", width])]
        graph = make.make_graph(self.nodes, "encoder", inputs, outputs, self.constants)
        opsets = [make.make_opsetid("", OPSET), make.make_opsetid(FUSED, 1)]
        return make.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
