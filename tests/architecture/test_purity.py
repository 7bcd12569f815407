"""Decisions are pure: these packages and modules have no I/O, no clock and no randomness, and use only each other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
PURE = (
    "headwater.model",
    "headwater.text",
    "headwater.sources.feeds",
    "headwater.sources.sitemaps",
    "headwater.sources.crawl",
    "headwater.sources.options",
    "headwater.sources.scope",
    "headwater.sources.update_frequency",
    "headwater.fetch.guard.addresses",
    "headwater.fetch.politeness.quotas",
    "headwater.fetch.politeness.rights_reservations",
    "headwater.fetch.politeness.robots_txt",
    "headwater.fetch.responses",
    "headwater.fetch.settings",
    "headwater.extract.blocks",
    "headwater.extract.html",
    "headwater.extract.office",
    "headwater.extract.pdf",
    "headwater.extract.rtf",
    "headwater.extract.xml.parser",
    "headwater.documents.cleaning",
    "headwater.documents.dedupe",
    "headwater.documents.language",
    "headwater.documents.mentions",
    "headwater.documents.places",
    "headwater.documents.quality",
    "headwater.stories.clustering",
    "headwater.stories.identity",
    "headwater.stories.story_prose",
    "headwater.stories.terms",
    "headwater.stories.topics",
    "headwater.search",
    "headwater.engine.compose",
    "headwater.engine.fingerprints",
    "headwater.engine.isolation",
    "headwater.engine.replay_diff",
    "headwater.ops.alarms.decision",
    "headwater.ops.alarms.pipeline_rules",
    "headwater.ops.alarms.quality_drop",
    "headwater.ops.alarms.silence",
)
# Parts of these packages that are not pure, and why.
IMPURE = {
    "headwater.sources.crawl.poll": "reads its seed list from a file",
    "headwater.extract.pdf.ocr": "runs tesseract",
    "headwater.extract.pdf.reader": "locks the PDF library, and may run OCR",
    "headwater.documents.mentions.recogniser": "reads a model from a folder",
    "headwater.stories.topics.classify": "reads the classifiers from their files",
    "headwater.stories.topics.model_file": "reads a model from a folder",
}
# What pure modules may import although it could do more.
ALLOWED = {
    "headwater.text.known_words": {"sys"},  # for `intern`, which changes nothing that can be seen
    "headwater.model.recipe": {"pathlib"},  # a type
    "headwater.text.decompression": {"importlib"},  # optional libraries
    "headwater.extract.html.classifier.network": {"importlib.resources"},  # its own weights
    "headwater.extract.html.profiles.cascade": {"importlib", "importlib.util"},  # optional libraries
    # Tables of a library, unpacked once for all processes.
    "headwater.documents.language.unpacked_model": {"fcntl", "os", "pathlib", "shutil", "tempfile"},
    "headwater.documents.places.countries": {"importlib.resources"},  # its own table
}
FORBIDDEN = frozenset(
    [
        "aiohttp",
        "asyncio",
        "celery",
        "concurrent",
        "fcntl",
        "glob",
        "http",
        "importlib",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "redis",
        "requests",
        "secrets",
        "select",
        "shutil",
        "signal",
        "smtplib",
        "socket",
        "sqlalchemy",
        "sqlite3",
        "ssl",
        "structlog",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "uuid",
    ]
)
CLOCK = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}


def _modules() -> dict[str, Path]:
    names = {}
    for path in (SOURCE / "headwater").rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


MODULES = _modules()
PURE_MODULES = sorted(
    name
    for name in MODULES
    if name not in IMPURE and any(name == pure or name.startswith(f"{pure}.") for pure in PURE)
)


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def _impure_calls(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"open", "input"}
        ):
            yield node.func.id
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and (node.value.id, node.attr) in CLOCK
        ):
            yield f"{node.value.id}.{node.attr}"


def test_the_list_names_what_exists():
    assert [name for name in (*PURE, *IMPURE, *ALLOWED) if name not in MODULES] == []
    assert len(PURE_MODULES) > 150


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(MODULES[name].read_text(encoding="utf-8")) for name in PURE_MODULES}


def test_a_pure_module_does_no_io_and_reads_no_clock(trees: dict[str, ast.Module]):
    for name, tree in trees.items():
        imports = {module for module in _imports(tree) if module.split(".")[0] in FORBIDDEN}
        assert imports - ALLOWED.get(name, set()) == set(), name
        assert list(_impure_calls(tree)) == [], name


def test_a_pure_module_uses_only_pure_modules(trees: dict[str, ast.Module]):
    for name, tree in trees.items():
        used = {module for module in _imports(tree) if module in MODULES}
        assert used - set(PURE_MODULES) == set(), name
