"""A recipe that cannot be loaded is reported when it is requested, and does not stop the others."""

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

import headwater.recipes.loader
from headwater.app import App
from headwater.cli.pipeline.work import report_left_out
from headwater.model.command import RECIPE_ENTRY_POINTS
from headwater.model.errors import Refused
from headwater.runtime.celery.worker import log_left_out
from headwater.settings.settings import Settings, read_settings


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
    assert list(app.recipes) == ["crypto"]
    assert list(app.loaded_recipes.refusals) == ["broken"]
    report_left_out(app)
    assert capsys.readouterr().err.startswith("headwater: left out: the recipe 'broken'")
    log_left_out(app.loaded_recipes, app.settings)
    assert "recipe left out" in capsys.readouterr().err


def test_a_typo_in_the_settings_of_a_recipe_disables_only_that_recipe(tmp_path: Path):
    path = tmp_path / "headwater.yaml"
    path.write_text(
        "workers: 2\nrecipes:\n  crypto: {every: 1h}\n  mine: {like: crypto, keep: {wrods: [a]}}\n"
    )
    app = App(read_settings(path, {}))
    assert (app.settings.workers, app.recipe("crypto").name) == (2, "crypto")
    with pytest.raises(Refused, match=r"headwater\.yaml:4: recipes\.mine\.keep\.wrods: .*words"):
        app.recipe("mine")


def test_a_broken_recipe_is_refused_with_its_error():
    with pytest.raises(Refused) as refused:
        App(Settings(log_level="error")).recipe("broken")
    assert refused.value.reason == "broken_recipe"
    assert "No module named 'no_such_package'" in refused.value.detail
    assert "\n" not in refused.value.detail


def test_an_unknown_recipe_is_refused_with_the_names_of_the_working_ones():
    with pytest.raises(Refused, match=r"there is no recipe 'nope'\. There are: crypto"):
        App(Settings(log_level="error")).recipe("nope")
