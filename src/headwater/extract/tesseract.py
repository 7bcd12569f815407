"""The program Tesseract, which recognises text in pictures. It runs in a sandbox of its own.

A child process of the extractors may start no program. It asks its parent instead, which passes the picture on unread.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache

_LANGUAGE = re.compile(r"[a-zA-Z]{3}(?:_[a-zA-Z]{3,4})?")
_LANGUAGES = re.compile(rf"{_LANGUAGE.pattern}(?:\+{_LANGUAGE.pattern}){{0,9}}")
_MOST_LANGUAGES = 3
_SECONDS_TO_LIST = 10.0
_MEGABYTES = 2_048
_ENVIRONMENT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")
_LAUNCHER = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from headwater.extract.sandbox.lockdown.protections import run_locked_down; "
    "run_locked_down(sys.argv[2], sys.argv[4:], int(sys.argv[3]))"
)

Recognise = Callable[[bytes, str, float], str]
"""A picture (PGM), names of languages joined by "+" (none: all that are installed), and seconds, to text."""


@cache
def tesseract() -> str | None:
    """The path of the program, searched for once; None when it is not installed."""
    return shutil.which("tesseract")


@cache
def installed_languages(program: str) -> str:
    """The installed languages, English first, as the argument of the program."""
    lines = run_program(program, ["--list-langs"], b"", _SECONDS_TO_LIST).split("\n")[1:]
    names = {line.strip() for line in lines if _LANGUAGE.fullmatch(line.strip())} - {"osd", "equ"}
    return "+".join(sorted(names, key=lambda name: (name != "eng", name))[:_MOST_LANGUAGES]) or "eng"


def recognise_picture(picture: bytes, languages: str, seconds: float) -> str:
    """The text in the picture; empty when there is none, or no program to recognise it."""
    program = tesseract()
    if program is None or not (languages == "" or _LANGUAGES.fullmatch(languages)):
        return ""
    language_argument = languages or installed_languages(program)
    return run_program(program, ["stdin", "stdout", "-l", language_argument], picture, seconds)


def run_program(program: str, arguments: list[str], data: bytes, seconds: float) -> str:
    """What the program prints; empty when it fails or takes too long."""
    launcher = [sys.executable, "-c", _LAUNCHER, json.dumps(sys.path), program, str(_MEGABYTES), *arguments]
    try:
        process = subprocess.run(  # noqa: S603 - a program that the operator installed, with arguments of our own
            launcher,
            input=data,
            capture_output=True,
            timeout=seconds,
            check=False,
            env=_environment(os.environ),
        )
    except (subprocess.TimeoutExpired, OSError):
        return ""
    return process.stdout.decode("utf-8", "replace") if process.returncode == 0 else ""


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    allowed = {name: variables[name] for name in _ENVIRONMENT if name in variables}
    return {**allowed, "OMP_THREAD_LIMIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}


class _Delegate:
    recognise: Recognise | None = None
    installed = False


def delegate_recognition(recognise: Recognise, *, installed: bool) -> None:
    """For a process that may not start programs: this function is called instead, if the program is `installed`."""
    _Delegate.recognise, _Delegate.installed = recognise, installed


def can_recognise() -> bool:
    return tesseract() is not None if _Delegate.recognise is None else _Delegate.installed


def recognise(picture: bytes, languages: str, seconds: float) -> str:
    return (_Delegate.recognise or recognise_picture)(picture, languages, seconds)
