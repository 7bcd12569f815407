"""Where models are found, and that the recipe keeps its models in the data folder."""

from pathlib import Path

import pytest

from headwater.documents.embedding.models import locate_model
from headwater.model.errors import Refused
from headwater.recipes.loader import load_recipes
from headwater.settings.recipes import RecipeSettings
from headwater.settings.settings import Settings
from headwater.stories.document_vectors import EmbedDocuments


def test_a_model_is_a_folder_or_a_name_among_those_of_the_data_folder(tmp_path: Path):
    own_folder = tmp_path / "models" / "mine"
    own_folder.mkdir(parents=True)
    assert locate_model(own_folder, Path("nowhere")) == ("mine", own_folder)
    assert locate_model("mine", tmp_path) == ("mine", own_folder)
    with pytest.raises(Refused, match="there is no model 'yours'"):
        locate_model("yours", tmp_path)


def test_the_cache_of_a_hub_is_read_at_its_main_revision(tmp_path: Path):
    cached = tmp_path / "models" / "models--maker--multilingual-small"
    for revision in ("aaa", "bbb", "ccc"):
        (cached / "snapshots" / revision).mkdir(parents=True)
    name = "maker/multilingual-small"
    assert locate_model(name, tmp_path) == (name, cached / "snapshots" / "ccc")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("bbb\n", encoding="utf-8")
    for given_name in (name, str(cached)):
        assert locate_model(given_name, tmp_path) == (name, cached / "snapshots" / "bbb")
    assert locate_model(cached / "snapshots" / "aaa", tmp_path) == (name, cached / "snapshots" / "aaa")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("{data}", "chosen")),
        ({"model": "own"}, ("{data}", "own")),
        ({"models": "elsewhere"}, ("elsewhere", "chosen")),
    ],
)
def test_g10_the_recipe_finds_its_models_in_the_data_folder(tmp_path: Path, options, expected):
    recipes = {"geopolitics": RecipeSettings(options={"tier": "B", **options})}
    recipe = load_recipes(Settings(data=str(tmp_path), encoder="chosen", recipes=recipes)).recipes[
        "geopolitics"
    ]
    (encoder,) = [step.encoder for step in recipe.steps if isinstance(step, EmbedDocuments)]
    assert (encoder.models, encoder.model) == (expected[0].format(data=tmp_path), expected[1])
    default = load_recipes(Settings(data=str(tmp_path), recipes=recipes)).recipes["geopolitics"]
    (builtin,) = [step.encoder for step in default.steps if isinstance(step, EmbedDocuments)]
    assert builtin.model == options.get("model")


def test_subjects_of_the_settings_stay_with_a_recipe_that_keeps_models(tmp_path: Path):
    listed = tmp_path / "subjects.yaml"
    listed.write_text("subjects: [{id: halcyon, name: Halcyon Line}]\n", encoding="utf-8")
    recipes = {"geopolitics": RecipeSettings(subjects=str(listed))}
    recipe = load_recipes(Settings(data=str(tmp_path), recipes=recipes)).recipes["geopolitics"]
    assert [subject.id for subject in recipe.subjects] == ["halcyon"]
    assert recipe.steps[-1].name == "mentions"
