"""The labelled pages of the archives, with their gold texts."""

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    key: str
    url: str
    data: bytes
    gold: str
    kind: str = "article"
    title: str = ""
    author: str = ""
    date: str = ""


def unpack(data: Path, folder: Path) -> None:
    for name in ("aeb", "wcxb-dev"):
        with tarfile.open(data / "extract" / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data")


def articles(folder: Path) -> Iterator[Case]:
    gold = json.loads((folder / "aeb" / "ground-truth.json").read_text(encoding="utf-8"))
    for key, page in sorted(gold.items()):
        data = (folder / "aeb" / "html" / f"{key}.html").read_bytes()
        yield Case(key=key, url=page["url"], data=data, gold=page.get("articleBody", ""))


def mixed(folder: Path) -> Iterator[Case]:
    root = folder / "wcxb-dev"
    for path in sorted((root / "ground-truth").glob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        truth = page["ground_truth"]
        yield Case(
            key=path.stem,
            url=page["url"],
            data=(root / "html" / f"{path.stem}.html").read_bytes(),
            gold=truth.get("main_content") or "",
            kind=page.get("_internal", {}).get("page_type", {}).get("primary", "?"),
            title=truth.get("title") or "",
            author=truth.get("author") or "",
            date=(truth.get("publish_date") or "")[:10],
        )
