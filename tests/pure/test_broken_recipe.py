"""A recipe that cannot be loaded is reported when it is requested, and does not stop the others."""

from importlib.metadata import EntryPoint, entry_points

import pytest

import headwater.recipes.loader
from headwater.app import App
from headwater.model.command import RECIPE_ENTRY_POINTS
from headwater.model.errors import Refused
from headwater.settings.settings import Settings


@pytest.fixture(autouse=True)
def broken_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint(name="broken", value="no_such_package.recipe:recipe", group=RECIPE_ENTRY_POINTS)
    installed = [broken, *entry_points(group=RECIPE_ENTRY_POINTS, name="crypto")]

    def installed_entry_points(*, group: str, name: str | None = None) -> list[EntryPoint]:
        return [point for point in installed if point.group == group and name in {None, point.name}]

    monkeypatch.setattr(headwater.recipes.loader, "entry_points", installed_entry_points)


def test_a_broken_recipe_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]):
    app = App(Settings())
    assert app.recipe("crypto").name == "crypto"
    assert "recipe left out" not in capsys.readouterr().err, "who asks for one recipe hears about that one"
    assert list(app.recipes) == ["crypto"]
    assert "recipe left out" in capsys.readouterr().err


def test_a_broken_recipe_is_refused_with_its_error():
    with pytest.raises(Refused) as refused:
        App(Settings(log_level="error")).recipe("broken")
    assert refused.value.reason == "broken_recipe"
    assert "No module named 'no_such_package'" in refused.value.detail
    assert "\n" not in refused.value.detail


def test_an_unknown_recipe_is_refused_with_the_names_of_the_working_ones():
    with pytest.raises(Refused, match=r"there is no recipe 'nope'\. There are: crypto"):
        App(Settings(log_level="error")).recipe("nope")
