"""The browser that is installed, if there is one. Every worker asks, so this needs nothing that renders."""

import shutil
from importlib.util import find_spec

_PROGRAMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)


def find_browser() -> str:
    """The path of the system's Chromium, or "" unless it and the extra `browser` are installed."""
    if find_spec("playwright") is None:
        return ""
    return next((path for path in map(shutil.which, _PROGRAMS) if path), "")


def is_browser_available() -> bool:
    return bool(find_browser())
