"""`python -m tests.checklist tests/CHECKLIST.md`: which rows of the acceptance lists a test carries in its name.

A test that proves a row says so: `test_r44_…`, `test_c17_p3_…`. Nobody edits the page; a test compares it with what
this gives.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROWS = {"R": 90, "C": 41, "P": 36, "G": 25}
NAMES = {
    "R": "market intelligence (recipe markets)",
    "C": "crypto news (recipe crypto)",
    "P": "public procedures (recipe procedures)",
    "G": "geopolitics (recipe geopolitics)",
}
ROW = re.compile(r"[rcpg]\d+")
GENERATED = "<!-- Written by `python -m tests.checklist tests/CHECKLIST.md`; do not edit. -->\n"


def page() -> str:
    """The whole page."""
    proofs = collect()
    lines = [GENERATED, "# Which rows are proven", ""]
    lines += [
        "Headwater is built to four lists of acceptance rows, one per recipe. A row counts as proven when a test that",
        "proves it carries its number in its name; `make test` runs them all.",
        "",
        "| list | rows | proven |",
        "|---|---|---|",
    ]
    lines += [
        f"| {letter}: {NAMES[letter]} | {most} | {_proven(proofs, letter)} |" for letter, most in ROWS.items()
    ]
    for letter, most in ROWS.items():
        lines += ["", f"## {letter}: {NAMES[letter]}", "", "| row | proven by |", "|---|---|"]
        lines += [f"| {letter}-{number} | {_told(proofs[letter, number])} |" for number in range(1, most + 1)]
    return "\n".join(lines) + "\n"


def _proven(proofs: dict[tuple[str, int], list[str]], letter: str) -> int:
    return sum(bool(proofs[letter, number]) for number in range(1, ROWS[letter] + 1))


def _told(tests: list[str]) -> str:
    return "<br>".join(sorted(tests)) or "no test yet"


@cache
def collect() -> defaultdict[tuple[str, int], list[str]]:
    """Of each row, the tests that name it."""
    tests_by_row: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        where = path.relative_to(ROOT / "tests").as_posix().removesuffix(".py")
        for name in _tests(path):
            rows, sentence = read_name(name)
            for row in rows:
                tests_by_row[row].append(f"{sentence} (`{where}`)")
    return tests_by_row


def _tests(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        for definition in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(definition, ast.FunctionDef) and definition.name.startswith("test_"):
                yield definition.name


def read_name(name: str) -> tuple[list[tuple[str, int]], str]:
    """The rows that a test's name begins with, and what the rest of it says."""
    words = name.removeprefix("test_").split("_")
    rows: list[tuple[str, int]] = []
    place = 0
    while place < len(words) and (
        ROW.fullmatch(words[place]) or _joins(words, place) or words[place].isdigit()
    ):
        if ROW.fullmatch(words[place]):
            rows.append((words[place][0].upper(), int(words[place][1:])))
        place += 1
    return (rows, " ".join(words[place:])) if rows else ([], "")


def _joins(words: list[str], place: int) -> bool:
    """ "and" between two rows."""
    return words[place] == "and" and place + 1 < len(words) and bool(ROW.fullmatch(words[place + 1]))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
