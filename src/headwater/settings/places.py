"""Paths in a settings file are relative to that file, wherever a command is called."""

import re
from pathlib import Path
from typing import Any

import msgspec

from headwater.settings.recipes import BUNDLED, RecipeSettings

FILE_REFERENCE = "file:"
SQLITE_FILE = re.compile(
    r"(?P<scheme>sqlite(?:\+\w+)?:///)(?!/|:memory:|file:)(?P<path>[^?]+)(?P<query>.*)", re.DOTALL
)
RECIPE_PATHS = ("sources", "subjects", "file", "folder")
FOLDERS = ("data", "objects", "archive", "place")


def path_beside(folder: Path, path: str) -> str:
    return str(folder / Path(path).expanduser())


def settings_beside(settings: Any, folder: Path) -> Any:
    """The settings, or a record among them, with every path as seen from where the settings file is. Values of other kinds
    stay: URLs, buckets, and an encoder that is no path but a name."""
    changes: dict[str, Any] = {}
    for name in settings.__struct_fields__:
        value = getattr(settings, name)
        if isinstance(settings, RecipeSettings) and name in RECIPE_PATHS:
            changes[name] = path_beside(folder, value) if value and value != BUNDLED else value
        elif name in FOLDERS and isinstance(value, str):
            changes[name] = _folder_beside(folder, value)
        elif name == "encoder":
            changes[name] = _encoder_beside(folder, value)
        else:
            changes[name] = value_beside(folder, value)
    return msgspec.structs.replace(settings, **changes)


def value_beside(folder: Path, value: Any) -> Any:
    if isinstance(value, str):
        return _text_beside(folder, value)
    if isinstance(value, msgspec.Struct):
        return settings_beside(value, folder)
    if isinstance(value, dict):
        return {name: value_beside(folder, item) for name, item in value.items()}
    return [value_beside(folder, item) for item in value] if isinstance(value, list) else value


def _text_beside(folder: Path, text: str) -> str:
    """`file:PATH` and the address of a SQLite file are the only texts that hold a path."""
    if text.startswith(FILE_REFERENCE) and not text.startswith(f"{FILE_REFERENCE}//"):
        return FILE_REFERENCE + path_beside(folder, text.removeprefix(FILE_REFERENCE))
    if match := SQLITE_FILE.fullmatch(text):
        place = str(folder).replace("%", "%25").replace("?", "%3F")
        return f"{match['scheme']}{Path(place) / match['path']}{match['query']}"
    return text


def _folder_beside(folder: Path, text: str) -> str:
    return text if not text or "://" in text else path_beside(folder, text)


def _encoder_beside(folder: Path, encoder: str) -> str:
    """The name of an encoder may have a slash, too: what is a folder beside the file is that folder."""
    path = path_beside(folder, encoder)
    return path if encoder and Path(path).is_dir() else encoder
