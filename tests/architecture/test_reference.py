"""The reference matches the code and covers every command, option and setting."""

from pathlib import Path

import msgspec
import yaml

from headwater.cli.commands import COMMAND_GROUPS, COMMANDS, all_commands, load_command
from headwater.cli.reference import commands, pages
from headwater.recipes.loader import load_recipes
from headwater.settings.reference import commented_settings, setting_descriptions
from headwater.settings.settings import Settings

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
NAMES = [field.name for field in msgspec.structs.fields(Settings)]


def test_the_reference_is_up_to_date():
    for name, page_text in pages().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == page_text, (
            "run `python -m headwater.cli.reference docs/reference`"
        )


def test_every_command_and_option_is_documented():
    text = (FOLDER / "cli.md").read_text(encoding="utf-8")
    all_documented = list(commands())
    assert len(all_documented) > 20
    for words, command in all_documented:
        assert f"## `{words}`\n" in text
        assert command.help, words
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{words}: {parameter.name}"


def test_a_command_can_be_loaded_and_is_described_in_the_table():
    for name, entry in all_commands().items():
        assert load_command(name).name == name
        assert len(entry.help) <= 60, name


def test_every_setting_is_explained():
    assert list(setting_descriptions()) == NAMES
    assert all(setting_descriptions().values())
    text = (FOLDER / "settings.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in NAMES)


def test_the_commented_settings_can_be_read_as_they_are_and_with_every_comment_taken_away():
    text = commented_settings("somewhere")
    assert yaml.safe_load(text) == {"data": "somewhere"}
    lines = [
        line.removeprefix("# ") for line in text.splitlines() if line.split(":")[0].lstrip("# ") in NAMES
    ]
    assert set(yaml.safe_load("\n".join(lines))) == set(NAMES)
    msgspec.convert(yaml.safe_load("\n".join(lines)), Settings)


def test_every_step_of_every_recipe_is_explained():
    text = (FOLDER / "recipes.md").read_text(encoding="utf-8")
    for recipe in load_recipes(Settings()).recipes.values():
        for step in recipe.steps:
            line = next(line for line in text.splitlines() if line.startswith(f"| `{step.name}` |"))
            assert len(line.split("|")[3].strip()) > 10


def test_every_built_in_command_has_its_place_in_the_help():
    grouped = [name for names in COMMAND_GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)
