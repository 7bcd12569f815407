"""The shape of the code: small files, sorted public names, no names that say nothing."""

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
FILES = sorted(SOURCE.rglob("*.py"))
LONGEST = 500
# Written by Alembic from the schema, and lists of words or sentences: data rather than code.
WRITTEN_OUT = ("migrations/versions/", "headwater_demo/prose/")
EMPTY_WORDS = {
    "util",
    "utils",
    "helper",
    "helpers",
    "manager",
    "base",
    "common",
    "misc",
}


def test_source_files_are_found():
    assert len(FILES) > 100


def test_no_file_is_longer_than_500_lines():
    long = {
        path.relative_to(SOURCE).as_posix(): lines
        for path in FILES
        if not any(part in path.as_posix() for part in WRITTEN_OUT)
        and (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert long == {}


def test_files_are_named_for_their_concept():
    empty = [path.name for path in FILES if EMPTY_WORDS & set(path.stem.split("_"))]
    assert empty == []


def test_public_names_are_sorted_and_defined():
    files = [path for path in FILES if "__all__" in path.read_text(encoding="utf-8")]
    assert len(files) >= 10
    for path in files:
        _check_public_names(path)


def _check_public_names(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    listed = next(
        [ast.literal_eval(item) for item in node.value.elts]
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    )
    assert listed == sorted(listed, key=_place), path
    assert len(listed) == len(set(listed)), path
    defined = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    defined |= {getattr(node, "name", "") for node in tree.body}
    defined |= {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if hasattr(target, "id")
    }
    assert set(listed) <= defined, path


def _place(name: str) -> tuple[int, str]:
    """Constants, then types, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_every_package_says_what_it_is():
    silent = [
        path.parent.relative_to(SOURCE).as_posix()
        for path in FILES
        if path.name == "__init__.py" and "headwater_demo" not in path.as_posix()
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == ["headwater/store/migrations/versions"]
