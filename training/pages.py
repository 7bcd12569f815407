"""The labelled pages: their files, gold texts and registered domains."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser
from tld import get_fld


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPage:
    key: str
    source: str
    kind: str
    domain: str
    data: bytes
    gold: str | None = None
    required_snippets: tuple[str, ...] = ()
    forbidden_snippets: tuple[str, ...] = ()


def domain_of(url: str) -> str:
    return get_fld(url, fail_silently=True, fix_protocol=True) or url.split("/")[2 if "//" in url else 0]


def benchmark_domains(folder: Path) -> set[str]:
    """Domains of the pages that are only scored, never trained on."""
    gold = json.loads((folder / "aeb" / "ground-truth.json").read_text(encoding="utf-8"))
    return {domain_of(page["url"]) for page in gold.values()}


def mixed_pages(folder: Path) -> Iterator[LabelledPage]:
    root = folder / "wcxb-dev"
    for path in sorted((root / "ground-truth").glob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        yield LabelledPage(
            key=path.stem,
            source="wcxb",
            kind=page.get("_internal", {}).get("page_type", {}).get("primary", "?"),
            domain=domain_of(page["url"]),
            data=(root / "html" / f"{path.stem}.html").read_bytes(),
            gold=page["ground_truth"].get("main_content") or "",
        )


def fixture_pages(folder: Path) -> Iterator[LabelledPage]:
    for path in sorted((folder / "readability" / "pages").iterdir()):
        data = (path / "source.html").read_bytes()
        expected = (path / "expected.html").read_text(encoding="utf-8")
        tree = LexborHTMLParser(expected)
        text = tree.body.text(separator=" ") if tree.body is not None else ""
        yield LabelledPage(
            key=path.name,
            source="fixtures",
            kind="article",
            domain=_own_domain(data) or path.name,
            data=data,
            gold=text,
        )


def snippet_pages(folder: Path) -> Iterator[LabelledPage]:
    """Pages of which only some snippets are known; their text comes from another reader, as a weak label."""
    root = folder / "traf-eval"
    for url, page in json.loads((root / "evaldata.json").read_text(encoding="utf-8")).items():
        path = root / "html" / page["file"]
        if path.exists():
            yield LabelledPage(
                key=page["file"],
                source="snippets",
                kind="article",
                domain=domain_of(url),
                data=path.read_bytes(),
                required_snippets=tuple(page["with"]),
                forbidden_snippets=tuple(page["without"]),
            )


_OWN_URL = re.compile(rb"<(?:link|meta)[^>]+(?:canonical|og:url)[^>]+(https?://[^\"'\s>]+)")


def _own_domain(data: bytes) -> str:
    match = _OWN_URL.search(data)
    return domain_of(match[1].decode("ascii", "replace")) if match else ""
