"""Hits of a full-text search over filings: one record per filing, its primary document, its addresses."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.pure.payloads import texts, words

ARCHIVE = "https://www.sec.gov/Archives/edgar/data"
ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
NOT_TEXT = (
    ".xml",
    ".jpg",
    ".jpeg",
    ".gif",
    ".png",
    ".xsd",
    ".js",
    ".css",
    ".zip",
    ".json",
    ".txt.gz",
    ".xlsx",
)
NOT_DOCUMENTS = frozenset({"GRAPHIC", "XML", "ZIP", "EXCEL", "JSON", "COVER"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One document of one filing, as the search lists it."""

    adsh: str
    name: str
    form: str
    root_forms: tuple[str, ...]
    kind: str
    sequence: int
    filed: str
    period: str
    ciks: tuple[str, ...]
    xsl: str
    items: tuple[str, ...]
    companies: tuple[str, ...]

    @property
    def primary(self) -> bool:
        """The filing itself, not one of its appendices."""
        return self.sequence == 1 and self.kind in (self.form, *self.root_forms) and self.readable

    @property
    def readable(self) -> bool:
        """Something with text: an XML form only where a style sheet renders it."""
        if self.kind.upper() in NOT_DOCUMENTS or self.kind.upper().startswith("EX-101"):
            return False
        return bool(self.xsl) or not self.name.lower().endswith(NOT_TEXT)

    @property
    def press_release(self) -> bool:
        return self.kind.upper().startswith("EX-99") and self.readable


def hit_of(record: Mapping[str, Any]) -> Hit | None:
    """None for what names no filing: an accession number and a file are what addresses are made of."""
    source = record.get("_source")
    accession, _, name = words(record.get("_id")).partition(":")
    if not isinstance(source, Mapping):
        return None
    adsh = words(source.get("adsh")) or accession
    if not ACCESSION.fullmatch(adsh) or not FILE_NAME.fullmatch(name):
        return None
    return Hit(
        adsh=adsh,
        name=name,
        form=words(source.get("form")),
        root_forms=tuple(texts(source.get("root_forms"))),
        kind=words(source.get("file_type")),
        sequence=_whole(source.get("sequence")),
        filed=words(source.get("file_date")),
        period=words(source.get("period_ending")),
        ciks=tuple(ten_digits(cik) for cik in texts(source.get("ciks"))),
        xsl=words(source.get("xsl")) if FILE_NAME.fullmatch(words(source.get("xsl"))) else "",
        items=tuple(texts(source.get("items"))),
        companies=tuple(texts(source.get("display_names"))),
    )


def _whole(value: Any) -> int:
    """The sequence is a number, or a text that is one."""
    return int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdecimal()) else 0


def ten_digits(cik: str | int) -> str:
    return str(cik).strip().lstrip("0").zfill(10)


def chosen(hits: Iterable[Hit], cik: str, *, releases: bool = False) -> list[Hit]:
    """Of each filing of this company the primary document, and its press releases where they are wanted. The search
    also lists filings that merely mention the company; those are not its own."""
    kept: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        if cik not in hit.ciks:
            continue
        if hit.primary:
            kept.setdefault((hit.adsh, ""), hit)
        elif releases and hit.press_release:
            kept.setdefault((hit.adsh, hit.name), hit)
    return list(kept.values())


def folder_url(adsh: str, cik: str, archive: str = ARCHIVE) -> str:
    return f"{archive}/{cik.lstrip('0')}/{adsh.replace('-', '')}"


def index_url(adsh: str, cik: str, archive: str = ARCHIVE) -> str:
    return f"{folder_url(adsh, cik, archive)}/{adsh}-index.htm"


def document_url(hit: Hit, cik: str, archive: str = ARCHIVE) -> str:
    inside = f"{hit.xsl}/{hit.name}" if hit.xsl else hit.name
    return f"{folder_url(hit.adsh, cik, archive)}/{inside}"


def cik_in(table: Any, ticker: str) -> str | None:
    """A ticker's company in the regulator's list, which writes a dash where others write a dot."""
    wanted = spelled(ticker)
    rows = table.values() if isinstance(table, Mapping) else ()
    for row in rows:
        if isinstance(row, Mapping) and spelled(words(row.get("ticker"))) == wanted and row.get("cik_str"):
            return ten_digits(row["cik_str"])
    return None


def spelled(ticker: str) -> str:
    return ticker.upper().replace(".", "-").replace("/", "-")
