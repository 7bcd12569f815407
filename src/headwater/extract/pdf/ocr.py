"""Text recognition of scanned pages with the program Tesseract, where it is installed."""

import re
import shutil
import subprocess
from functools import cache

import pypdfium2

_RESOLUTION = 300
_MOST_PIXELS = 40_000_000
_POINTS_PER_INCH = 72
_LANGUAGE = re.compile(r"[a-z]{3}(?:_[a-z]{3,4})?")
_MOST_LANGUAGES = 3
_SECONDS_TO_LIST = 10.0


@cache
def tesseract() -> str | None:
    """The path of the program, searched for once; None when it is not installed."""
    return shutil.which("tesseract")


@cache
def installed_languages(program: str) -> str:
    """The installed languages, English first, as the argument of the program."""
    lines = _run([program, "--list-langs"], b"", _SECONDS_TO_LIST).split("\n")[1:]
    names = {line.strip() for line in lines if _LANGUAGE.fullmatch(line.strip())} - {"osd", "equ"}
    return "+".join(sorted(names, key=lambda name: (name != "eng", name))[:_MOST_LANGUAGES]) or "eng"


def recognise(page: pypdfium2.PdfPage, languages: str, seconds: float) -> str:
    """The text of the page; empty when it cannot be recognised. Without languages, all installed ones are used."""
    program = tesseract()
    if program is None:
        return ""
    language_argument = languages or installed_languages(program)
    return _run([program, "stdin", "stdout", "-l", language_argument], _as_image(page), seconds)


def _run(command: list[str], data: bytes, seconds: float) -> str:
    try:
        process = subprocess.run(  # noqa: S603 - a program that the operator installed, with arguments of our own
            command, input=data, capture_output=True, timeout=seconds, check=False
        )
    except (subprocess.TimeoutExpired, OSError):
        return ""
    return process.stdout.decode("utf-8", "replace") if process.returncode == 0 else ""


def _as_image(page: pypdfium2.PdfPage) -> bytes:
    """The page in shades of grey, as PGM."""
    width, height = page.get_size()
    scale = _RESOLUTION / _POINTS_PER_INCH
    scale = min(scale, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    rows = bytes(bitmap.buffer)
    pixels = b"".join(rows[row * bitmap.stride :][: bitmap.width] for row in range(bitmap.height))
    header = f"P5 {bitmap.width} {bitmap.height} 255\n".encode()
    bitmap.close()
    return header + pixels
