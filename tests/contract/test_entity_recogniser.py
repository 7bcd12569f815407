"""Named entities by a token classifier: a tiny one, built here, that knows a few words."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.support.poll_sessions import NOW
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from headwater.documents.mentions.entities import TagEntities
from headwater.documents.mentions.recogniser import EntityRecogniser
from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.recipe import EmptyKnowledge, StepContext
from headwater_recipes.geopolitics import configure

LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG")
WORDS = {"Mara": 1, "Venn": 2, "Port": 3, "Dunmore": 4, "Harbourline": 5}
TEXT = "Mara Venn left Port Dunmore . Harbourline said Mara Venn was late ."


def tiny_model(folder: Path) -> Path:
    """Each word has its label, surely."""
    folder.mkdir(parents=True)
    words = ["[UNK]", "[CLS]", "[SEP]", *WORDS, "left", "said", "was", "late", "."]
    table = np.zeros((len(words), len(LABELS)), dtype=np.float32)
    for number, word in enumerate(words):
        table[number, WORDS.get(word, 0)] = 6.0
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "length"])
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "length", len(LABELS)])
    node = helper.make_node("Gather", ["table", "input_ids"], ["logits"])
    graph = helper.make_graph([node], "tiny", [ids, mask], [out], [numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"id2label": dict(enumerate(LABELS))}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("data") / "models" / "tiny")


def document(text: str) -> Document:
    return Document(id="d", recipe="r", source="s", lead="l", url="u", title="", text=text)


def test_names_are_put_together_and_counted(folder: Path):
    recogniser = EntityRecogniser("tiny", folder.parents[1])
    assert recogniser.name == "tiny"
    (outcome,) = TagEntities(recogniser, "tiny")([document(TEXT)], StepContext("r", NOW, EmptyKnowledge()))
    assert isinstance(outcome, Document)
    entities = outcome.attributes["entities"]
    assert [(entity["text"], entity["count"]) for entity in entities["PERSON"]] == [("Mara Venn", 2)]
    assert [entity["text"] for entity in entities["LOC"]] == ["Port Dunmore"]
    assert [entity["text"] for entity in entities["ORG"]] == ["Harbourline"]
    assert entities["meta"]["model"] == "tiny"
    assert outcome.origins["entities"] == "model tiny"


def test_a_long_text_is_read_in_windows_and_no_name_counts_twice(folder: Path):
    text = " ".join(["Mara Venn was late ."] * 300)
    (names,) = EntityRecogniser(str(folder), Path("nowhere"))([text])
    assert {entity.text for entity in names} == {"Mara Venn"}
    assert len(names) == len({entity.start for entity in names}) == 300
    assert all(text[entity.start : entity.end] == "Mara Venn" for entity in names)


def test_entities_below_the_minimum_score_are_left_out(folder: Path):
    assert EntityRecogniser(str(folder), Path("nowhere"), min_score=0.999)(["Mara Venn"]) == [[]]
    assert EntityRecogniser(str(folder), Path("nowhere"))(["", "half \ud800 a character"]) == [[], []]


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "config.json"])
def test_an_incomplete_model_is_refused(tmp_path: Path, missing: str):
    folder = tiny_model(tmp_path / "broken")
    (folder / missing).unlink()
    with pytest.raises(Refused, match=missing.replace(".", r"\.")):
        configure(None, {"entities": {"model": str(folder)}})


def test_a_missing_model_is_refused_when_the_recipe_is_loaded():
    with pytest.raises(Refused, match=r"there is no model 'no-such-model': give its folder"):
        configure(None, {"entities": {"model": "no-such-model"}})


def test_the_step_is_part_of_the_recipe_when_configured(folder: Path):
    names = [step.name for step in configure(None, {}).steps]
    assert "entities" not in names
    assert "places" in " ".join(names)
    more = configure(None, {"entities": {"model": str(folder)}})
    assert [step.name for step in more.steps if step.name not in names] == ["entities"]


def test_a_model_without_label_names_is_refused(tmp_path: Path):
    folder = tiny_model(tmp_path / "nameless")
    (folder / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(Refused, match="id2label"):
        EntityRecogniser(str(folder), tmp_path)(["Mara"])
