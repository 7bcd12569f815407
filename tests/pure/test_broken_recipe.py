"""A recipe that cannot be loaded is told of when it is asked for, and stops nobody else."""

from importlib.metadata import EntryPoint, entry_points

import pytest

import headwater.app
import headwater.recipe_loader
from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.recipe import RECIPE_ENTRY_POINTS
from headwater.settings.settings import Settings


@pytest.fixture(autouse=True)
def one_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint(name="broken", value="no_such_package.recipe:recipe", group=RECIPE_ENTRY_POINTS)
    found = [broken, *entry_points(group=RECIPE_ENTRY_POINTS, name="crypto")]

    def selected(*, group: str, name: str | None = None) -> list[EntryPoint]:
        return [one for one in found if one.group == group and name in {None, one.name}]

    for module in (headwater.app, headwater.recipe_loader):
        monkeypatch.setattr(module, "entry_points", selected)


def test_the_others_can_be_used(capsys: pytest.CaptureFixture[str]):
    app = App(Settings())
    assert app.recipe("crypto").name == "crypto"
    assert "recipe left out" in capsys.readouterr().err


def test_it_is_told_what_is_wrong_with_it():
    with pytest.raises(Refused) as refused:
        App(Settings(log_level="error")).recipe("broken")
    assert refused.value.reason == "broken_recipe"
    assert "No module named 'no_such_package'" in refused.value.detail
    assert "\n" not in refused.value.detail


def test_an_unknown_one_is_told_with_the_sound_ones():
    with pytest.raises(Refused, match="there is no recipe 'nope'; there are: crypto"):
        App(Settings(log_level="error")).recipe("nope")
