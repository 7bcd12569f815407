from typing import Any

from selectolax.lexbor import LexborHTMLParser


def describe(tree: LexborHTMLParser, url: str | None) -> dict[str, Any]:
    title = tree.css_first("title")
    return {"title": title.text(strip=True) if title is not None else ""}
