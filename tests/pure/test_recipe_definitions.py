"""Recipes of the settings: derived, customised, and refused one by one."""

from pathlib import Path

import msgspec
import pytest

from headwater.app import App
from headwater.documents.filters import KeepMatching
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe, own_sink_name
from headwater.recipes.loader import LoadedRecipes, load_recipes
from headwater.settings.recipes import GroupSettings, RecipeSettings
from headwater.settings.settings import Settings


def load(recipes, **settings) -> LoadedRecipes:
    parsed = {name: msgspec.convert(values, RecipeSettings) for name, values in recipes.items()}
    return load_recipes(Settings(log_level="error", recipes=parsed, **settings))


def step_names(recipe: Recipe) -> list[str]:
    return [step.name for step in recipe.steps]


@pytest.fixture
def source_file(tmp_path: Path) -> Path:
    path = tmp_path / "energy.yaml"
    path.write_text("sources:\n  - {name: Tide, url: 'https://tide.example/feed'}\n")
    return path


def test_a_derived_recipe_has_its_own_name_sources_and_keys(source_file: Path):
    loaded = load(
        {
            "energy": {"like": "news", "sources": str(source_file)},
            "power": {"like": "news", "sources": str(source_file)},
        }
    )
    (energy,), (power,) = loaded.recipes["energy"].sources, loaded.recipes["power"].sources
    assert (energy.recipe, power.recipe) == ("energy", "power")
    assert energy.id != power.id
    assert loaded.recipes["news"].sources == ()
    assert loaded.refusals == {}


def test_a_recipe_inherits_what_it_does_not_set_from_the_one_it_is_like(source_file: Path):
    loaded = load(
        {
            "energy": {
                "like": "news",
                "sources": str(source_file),
                "every": "10m",
                "steps": ["normalise", "quality", "duplicates"],
                "keep": {"quality": 0.4},
                "routes": [{"to": "queue", "name": "energy-news"}],
            },
            "wind": {"like": "energy", "keep": {"words": ["wind"]}},
        }
    )
    wind = loaded.recipes["wind"]
    assert step_names(wind) == ["normalise", "quality", "keep", "duplicates"]
    (keep,) = (step for step in wind.steps if isinstance(step, KeepMatching))
    assert keep.conditions.words == ["wind"]
    assert [route.name for route in wind.routes] == ["energy-news"]
    assert [source.recipe for source in wind.sources] == ["wind"]
    assert wind.trigger == loaded.recipes["energy"].trigger


def test_a_table_of_a_recipe_stays_its_own_when_another_is_like_it(tmp_path: Path):
    recipes = {
        "alpha": {"like": "news", "routes": [{"to": "table", "table": "rows"}]},
        "beta": {"like": "alpha"},
        "gamma": {"like": "news", "routes": [{"to": "table", "database": "env:NOT_SET_ANYWHERE"}]},
    }
    parsed = {name: msgspec.convert(values, RecipeSettings) for name, values in recipes.items()}
    app = App(Settings(data=str(tmp_path), recipes=parsed))
    (route,) = app.recipe("beta").routes
    databases = [app.sinks[own_sink_name(name, route.sink)].database for name in ("alpha", "beta")]
    assert databases == [f"sqlite:///{tmp_path}/out/{name}/tables.db" for name in ("alpha", "beta")]
    (route,) = app.recipe("gamma").routes
    assert "NOT_SET_ANYWHERE" in app.sinks[own_sink_name("gamma", route.sink)].problem


def test_an_installed_recipe_can_be_customised_in_place():
    crypto = load({"crypto": {"keep": {"language": "en"}, "group": False}}).recipes["crypto"]
    assert step_names(crypto) == ["normalise", "language", "quality", "keep", "duplicates"]
    assert crypto.grouping is None


def test_the_list_that_comes_with_a_recipe_is_used_only_on_request():
    names = ("crypto", "markets", "procedures", "geopolitics")
    without, bundled = load({}), load({name: {"sources": "bundled"} for name in names})
    assert {name: len(without.recipes[name].sources) for name in names} == dict.fromkeys(names, 0)
    assert all(bundled.recipes[name].sources for name in names)
    assert len(bundled.recipes["markets"].subjects) == 50
    assert "comes without a list" in load({"news": {"sources": "bundled"}}).refusals["news"].detail


def test_a_filter_by_subjects_comes_after_the_search_for_them(tmp_path: Path):
    subjects = tmp_path / "subjects.yaml"
    subjects.write_text("subjects:\n  - {id: acme, name: Acme Tidal}\n")
    crypto = load({"crypto": {"subjects": str(subjects), "keep": {"subjects": ["acme"]}}}).recipes["crypto"]
    assert step_names(crypto)[-2:] == ["mentions", "keep"]
    news = load({"news": {"subjects": str(subjects), "keep": {"subjects": ["acme"]}}}).recipes["news"]
    names = step_names(news)
    assert names.index("mentions") < names.index("keep") < names.index("duplicates")


@pytest.mark.parametrize(
    ("recipes", "name", "words"),
    [
        ({"cryto": {}}, "cryto", "did you mean 'crypto'?"),
        ({"cryto": {}}, "cryto", "`like: NAME` or `file: PATH`"),
        ({"a": {"like": "b"}, "b": {"like": "a"}}, "a", "has no end"),
        ({"a": {"like": "nwes"}}, "a", "recipes.a.like: there is no recipe 'nwes'; did you mean 'news'?"),
        ({"A b": {"like": "news"}}, "A b", "not a recipe name"),
        ({"a": {"like": "news", "file": "x.py"}}, "a", "either `like` or `file`"),
        ({"a": {"file": "x.py"}}, "a", "recipes.a.file: there is no file x.py"),
        (
            {"a": {"like": "news", "steps": ["langage"]}},
            "a",
            "recipes.a.steps[0]: there is no step 'langage'",
        ),
        (
            {"a": {"like": "news", "steps": [{"language": {"shure": 1}}]}},
            "a",
            "language.shure: this step has no",
        ),
        ({"a": {"like": "news", "steps": [{"language": {"sure": "x"}}]}}, "a", "a number is needed"),
        ({"a": {"like": "news", "every": "often"}}, "a", "recipes.a.every: 'often' is not a duration"),
        ({"a": {"like": "news", "group": {"settle": "x"}}}, "a", "recipes.a.group.settle"),
        ({"a": {"like": "news", "routes": [{"to": "slack"}]}}, "a", "routes[0].to: there is no sink 'slack'"),
        (
            {"a": {"like": "news", "routes": [{"to": "files", "when": {"word": "x"}}]}},
            "a",
            "the conditions are: words",
        ),
        (
            {"a": {"like": "news", "routes": [{"to": "files", "of": "story", "when": {"language": "en"}}]}},
            "a",
            "min_documents",
        ),
        ({"a": {"like": "news", "routes": [{"to": "files"}, {"to": "files"}]}}, "a", "give one a `name`"),
        ({"a": {"like": "news", "routes": [{"to": "table", "table": "x; --"}]}}, "a", "not a table name"),
        ({"a": {"like": "news", "routes": [{"to": "files", "table": "x"}]}}, "a", "belong to `to: table`"),
        ({"a": {"like": "news", "options": {"x": 1}}}, "a", "this recipe has no options"),
    ],
)
def test_a_mistake_disables_only_its_own_recipe_and_says_what_to_do(recipes, name, words):
    loaded = load(recipes)
    assert words in loaded.refusals[name].detail
    assert {"news", "crypto", "geopolitics", "markets", "procedures"} <= loaded.recipes.keys()


def test_a_broken_source_list_is_refused_with_file_line_and_field(tmp_path: Path):
    path = tmp_path / "energy.yaml"
    path.write_text(
        "sources:\n"
        "  - {name: Tide, url: 'https://tide.example/feed'}\n"
        "  - name: Wave\n"
        "    url: https://wave.example/feed\n"
        "    options:\n"
        "      fulltext: true\n"
    )
    refusal = load({"energy": {"like": "news", "sources": str(path)}}).refusals["energy"]
    assert refusal.detail.startswith(f"{path}:6: sources[1].options.fulltext: ")
    assert "did you mean 'full_text'?" in refusal.detail


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def recipe():\n    return 1\n", "is not a Recipe but int"),
        ("x = 1\n", "it has no function `recipe`"),
        ("import nothing_like_it\n", "ModuleNotFoundError"),
    ],
)
def test_a_broken_file_disables_only_its_own_recipe(tmp_path: Path, body: str, words: str):
    path = tmp_path / "mine.py"
    path.write_text(body)
    loaded = load({"mine": {"file": str(path)}})
    assert words in loaded.refusals["mine"].detail
    assert "crypto" in loaded.recipes


def test_a_broken_recipe_is_reported_when_it_is_asked_for():
    from headwater.app import App

    app = App(Settings(log_level="error", recipes={"cryto": RecipeSettings()}))
    with pytest.raises(Refused, match="did you mean 'crypto'"):
        app.recipe("cryto")


def test_the_window_of_a_group_is_read_from_the_settings():
    recipe = load(
        {"a": {"like": "news", "group": {"by": "week", "cluster": "words", "window": "7d"}}}
    ).recipes["a"]
    assert recipe.grouping is not None
    assert recipe.grouping.window is not None
    assert recipe.grouping.window.days == 7
    assert GroupSettings().by == "all"
