"""Recipes add commands to the command line without being built."""

import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from headwater.cli import commands
from headwater.cli.commands import COMMANDS, all_commands, recipe_commands
from headwater.model.command import RECIPE_ENTRY_POINTS
from headwater.recipes.loader import load_recipe


def entry_of(value: str) -> EntryPoint:
    return EntryPoint(name="some", value=value, group=RECIPE_ENTRY_POINTS)


@pytest.fixture
def only_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Installs one recipe package, with the text of its module `commands`."""

    def install(text: str) -> None:
        package = tmp_path / "some_recipe"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "commands.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        entries = [entry_of("some_recipe:recipe")]
        monkeypatch.setattr(commands, "entry_points", lambda **_: entries)
        monkeypatch.delitem(sys.modules, "some_recipe", raising=False)
        monkeypatch.delitem(sys.modules, "some_recipe.commands", raising=False)
        all_commands.cache_clear()

    yield install
    all_commands.cache_clear()


@pytest.mark.parametrize("entry", entry_points(group=RECIPE_ENTRY_POINTS), ids=lambda entry: entry.name)
def test_the_table_that_the_command_line_reads_is_that_of_the_recipe(entry: EntryPoint):
    assert load_recipe(entry).commands == recipe_commands(entry)


def test_a_recipe_without_commands_adds_none():
    assert recipe_commands(entry_of("headwater_recipes.crypto:recipe")) == {}


def test_a_recipe_adds_its_commands(only_installed):
    only_installed(
        "from headwater.model.command import Command\nCOMMANDS = {'count': Command('some_recipe.count', 'Count.')}"
    )
    assert all_commands()["count"].help == "Count."


def test_a_recipe_cannot_replace_a_command(only_installed, capsys: pytest.CaptureFixture[str]):
    only_installed(
        "from headwater.model.command import Command\nCOMMANDS = {'status': Command('some_recipe.count', 'Count.')}"
    )
    assert all_commands() == COMMANDS
    assert "cannot add the command 'status'" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["import no_such_module", "COMMANDS_ARE_MISSING = 1", "1 / 0"])
def test_a_broken_recipe_is_reported_and_the_other_commands_stay(
    only_installed, capsys: pytest.CaptureFixture[str], text: str
):
    only_installed(text)
    assert all_commands() == COMMANDS
    assert "the commands of the recipe 'some' cannot be loaded" in capsys.readouterr().err
