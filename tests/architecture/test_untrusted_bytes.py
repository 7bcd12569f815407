"""Untrusted bytes are parsed in the sandbox: the parsers are used by the modules that the sandbox runs, and by no other."""

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
PARSERS = frozenset(
    {
        "LexborHTMLParser",
        "etree",
        "message_from_bytes",
        "parse_feed",
        "parse_opml",
        "parse_page",
        "parse_sitemap",
        "read_any",
        "read_fragment",
        "read_html",
        "read_mail",
        "read_pdf",
        "read_procedure",
        "read_xml",
    }
)
# What the sandbox runs.
INSIDE = (
    "headwater.extract",
    "headwater.sources.crawl.page",
    "headwater.sources.feeds",
    "headwater.sources.sitemaps.parser",
    "headwater.cli.standalone.feed_json",
    "headwater_recipes.procedures.page",
)
# Modules that name a parser, to hand it to the sandbox.
HANDED_OVER = {
    "headwater.cli.standalone.extract": {"read_any"},
    "headwater.ops.source_detection": {"read_html"},
    "headwater.sources.newsletters": {"message_from_bytes"},
    "headwater.sources.page_section": {"LexborHTMLParser"},
    "headwater.web.pages.analyst.document": {"read_any", "read_fragment"},
    "headwater_recipes.procedures.standalone": {"read_procedure"},
}


def _names(tree: ast.AST) -> set[str]:
    imported = {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return (imported | attributes) & PARSERS


def test_no_module_outside_the_sandbox_uses_a_parser() -> None:
    users = {}
    for package in ("headwater", "headwater_recipes"):
        for path in (SOURCE / package).rglob("*.py"):
            module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
            inside = any(module == each or module.startswith(f"{each}.") for each in INSIDE)
            text = path.read_text(encoding="utf-8")
            is_candidate = not inside and any(name in text for name in PARSERS)
            names = _names(ast.parse(text)) if is_candidate else set()
            if names:
                users[module] = names
    assert users == HANDED_OVER
