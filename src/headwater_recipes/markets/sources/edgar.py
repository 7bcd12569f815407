"""Filings from the EDGAR full-text search: each filing once, with the URLs of its primary document and its index."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from headwater.model.errors import Permanent, Temporary
from headwater.model.recipe import Discover, Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.sources.json_api import ApiCall, JsonApi, fetch_json, records_under, text_value, text_values
from headwater.text.dates import parse_day
from headwater.text.urls import canonical_url

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
SEARCH = "https://efts.sec.gov"
PATH = "/LATEST/search-index"
TICKERS = "https://www.sec.gov/files/company_tickers.json"
FORMS = ("8-K", "10-Q", "10-K")
PER_PAGE, WINDOW = 100, 10_000
FIRST_PERIOD, OVERLAP = timedelta(days=30), timedelta(days=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingHit:
    """One document of one filing in the search results."""

    accession: str
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
        """Whether this is the filing itself, not an exhibit."""
        return self.sequence == 1 and self.kind in (self.form, *self.root_forms) and self.readable

    @property
    def readable(self) -> bool:
        """Whether the document has text; an XML form does only with a style sheet."""
        if self.kind.upper() in NOT_DOCUMENTS or self.kind.upper().startswith("EX-101"):
            return False
        return bool(self.xsl) or not self.name.lower().endswith(NOT_TEXT)

    @property
    def press_release(self) -> bool:
        return self.kind.upper().startswith("EX-99") and self.readable


def discover_filings(*, search: str = SEARCH, archive: str = ARCHIVE, tickers: str = TICKERS) -> Discover:
    """Polls the filings of one company. Options: `cik` or else `ticker`, `forms` (8-K, 10-Q, 10-K), `releases`
    (press releases in EX-99 as well), `first_days`."""

    def discover(source: Source, now: datetime) -> PollSession:
        poll = _FilingsPoll(source, now, JsonApi(search, source.kind), archive, tickers)
        yield from poll.read()
        return poll.end()

    return discover


@dataclass(slots=True)
class _FilingsPoll:
    source: Source
    now: datetime
    api: JsonApi
    archive: str
    tickers: str
    cik: str = ""
    newest: str = field(init=False)
    ids: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    poll_again_after: timedelta | None = None

    def __post_init__(self) -> None:
        self.newest = str(self.source.watermark.get("filed", ""))

    def read(self) -> PollSession:
        self.cik = yield from self._company()
        old_ids = set(self.source.watermark.get("seen", ()))
        listed_ids: set[str] = set()
        for start in range(0, WINDOW, PER_PAGE):
            try:
                payload = yield from fetch_json(self.api, self._page(start))
            except Temporary as error:
                if start == 0:
                    raise
                self.poll_again_after = error.delay or timedelta(minutes=1)
                self.warnings.append(f"cut_short: {error.reason}")
                break
            hits = _hits(payload)
            releases = bool(self.source.options.get("releases", False))
            filings = [
                hit
                for hit in choose_filings(hits, self.cik, releases=releases)
                if _identity(hit) not in listed_ids
            ]
            listed_ids.update(map(_identity, filings))
            if leads := tuple(self._lead(hit) for hit in filings if _identity(hit) not in old_ids):
                yield LeadBatch(leads)
            self.newest = max([self.newest, *(hit.filed for hit in filings if self._is_past(hit.filed))])
            if start + PER_PAGE >= _total(payload) or not hits:
                break
        self.ids = sorted(listed_ids | old_ids if self.poll_again_after else listed_ids)
        return Discovery()

    def _is_past(self, day: str) -> bool:
        """Whether this is a valid day that is not in the future: only such a day may move the watermark."""
        filed_at = _filing_time(day)
        return filed_at is not None and filed_at <= self.now and len(day) == len("2026-11-13")

    def _company(self) -> ApiCall:
        """The CIK of the company: from the options, the watermark or, once, the SEC's list."""
        options, watermark = self.source.options, self.source.watermark
        cik_option = options.get("cik") or watermark.get("cik")
        if cik_option:
            return normal_cik(cik_option)
        ticker = str(options.get("ticker", ""))
        api = JsonApi(self.tickers, self.source.kind)
        cik = cik_of_ticker((yield from fetch_json(api, api.build_request(""))), ticker) if ticker else None
        if cik is None:
            raise Permanent("unknown_company", f"the SEC lists no company for '{ticker}'; set the option cik")
        return cik

    def _page(self, start: int) -> Any:
        forms = ",".join(self.source.options.get("forms", FORMS))
        return self.api.build_request(
            PATH,
            q="",
            ciks=self.cik,
            forms=forms,
            dateRange="custom",
            startdt=self._since().isoformat(),
            enddt=self.now.astimezone(UTC).date().isoformat(),
            **({"from": start} if start else {}),
        )

    def _since(self) -> date:
        """The first day of the search. Polls overlap, because the search lists some filings late."""
        newest = self.source.watermark.get("filed")
        if newest:
            return date.fromisoformat(str(newest)) - OVERLAP
        first = timedelta(days=float(self.source.options.get("first_days", FIRST_PERIOD.days)))
        return (self.now - first).astimezone(UTC).date()

    def _lead(self, hit: FilingHit) -> Lead:
        attributes = {
            "document_type": "filing",
            "source_type": self.source.kind,
            "ticker": self.source.options.get("ticker"),
            "form": hit.form,
            "part": hit.kind,
            "accession": hit.accession,
            "cik": self.cik,
            "ciks": list(hit.ciks),
            "filed": hit.filed,
            "period": hit.period,
            "items": list(hit.items),
            "index_url": index_url(hit.accession, self.cik, self.archive),
        }
        company = self.source.options.get("name") or (hit.companies[0] if hit.companies else "")
        return Lead(
            identity=_identity(hit),
            url=document_url(hit, self.cik, self.archive),
            title=f"{company.split('  ')[0]}: {hit.kind} of {hit.filed}".strip(": "),
            published=_filing_time(hit.filed),
            hints={
                "guid": _identity(hit),
                "publisher": company.split("  ")[0],
                "categories": [hit.form, *hit.items],
                "attributes": {name: value for name, value in attributes.items() if value},
            },
            subject=self.source.subject,
        )

    def end(self) -> Discovery:
        watermark = {"filed": self.newest, "cik": self.cik, "seen": self.ids}
        return Discovery(watermark=watermark, again=self.poll_again_after, warnings=tuple(self.warnings))


def _identity(hit: FilingHit) -> str:
    return hit.accession if hit.primary else f"{hit.accession}:{hit.name}"


def _hits(payload: Any) -> list[FilingHit]:
    outer = payload.get("hits") if isinstance(payload, Mapping) else None
    return [hit for record in records_under(outer, "hits") if (hit := parse_hit(record)) is not None]


def _total(payload: Mapping[str, Any]) -> int:
    outer = payload.get("hits")
    total = outer.get("total") if isinstance(outer, Mapping) else None
    value = total.get("value") if isinstance(total, Mapping) else total
    return value if isinstance(value, int) else 0


def _filing_time(text: str) -> datetime | None:
    """The start of the day of the filing, in UTC."""
    day = parse_day(text)
    return None if day is None else datetime.combine(day, time(), UTC)


def parse_hit(record: Mapping[str, Any]) -> FilingHit | None:
    """None for a record without an accession number or a file name: the URLs are built from them."""
    source = record.get("_source")
    accession, _, name = text_value(record.get("_id")).partition(":")
    if not isinstance(source, Mapping):
        return None
    accession = text_value(source.get("adsh")) or accession
    if not ACCESSION.fullmatch(accession) or not FILE_NAME.fullmatch(name):
        return None
    return FilingHit(
        accession=accession,
        name=name,
        form=text_value(source.get("form")),
        root_forms=tuple(text_values(source.get("root_forms"))),
        kind=text_value(source.get("file_type")),
        sequence=_int_value(source.get("sequence")),
        filed=text_value(source.get("file_date")),
        period=text_value(source.get("period_ending")),
        ciks=tuple(normal_cik(cik) for cik in text_values(source.get("ciks"))),
        xsl=text_value(source.get("xsl")) if FILE_NAME.fullmatch(text_value(source.get("xsl"))) else "",
        items=tuple(text_values(source.get("items"))),
        companies=tuple(text_values(source.get("display_names"))),
    )


def _int_value(value: Any) -> int:
    """A whole number, or a text that is one; else 0."""
    return int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdecimal()) else 0


def normal_cik(cik: str | int) -> str:
    return str(cik).strip().lstrip("0").zfill(10)


def choose_filings(hits: Iterable[FilingHit], cik: str, *, releases: bool = False) -> list[FilingHit]:
    """The primary document of each filing of this company, with `releases` its press releases too. The search also lists
    filings that only mention the company; they are left out."""
    chosen: dict[tuple[str, str], FilingHit] = {}
    for hit in hits:
        if cik not in hit.ciks:
            continue
        if hit.primary:
            chosen.setdefault((hit.accession, ""), hit)
        elif releases and hit.press_release:
            chosen.setdefault((hit.accession, hit.name), hit)
    return list(chosen.values())


def folder_url(accession: str, cik: str, archive: str = ARCHIVE) -> str:
    return f"{archive}/{cik.lstrip('0')}/{accession.replace('-', '')}"


def index_url(accession: str, cik: str, archive: str = ARCHIVE) -> str:
    return f"{folder_url(accession, cik, archive)}/{accession}-index.htm"


def document_url(hit: FilingHit, cik: str, archive: str = ARCHIVE) -> str:
    path = f"{hit.xsl}/{hit.name}" if hit.xsl else hit.name
    return f"{folder_url(hit.accession, cik, archive)}/{path}"


def filing_identity(archive: str = ARCHIVE) -> Callable[[str], str]:
    """Normalises URLs. The archive lists a filing of several registrants in the folder of each; the accession number makes it
    one filing."""
    pattern = re.compile(rf"{re.escape(archive.rstrip('/'))}/\d+/(\d{{18}})/(.+)")

    def normalise_url(url: str) -> str:
        match = pattern.fullmatch(url)
        return canonical_url(f"{archive}/{match[1]}/{match[2]}" if match else url)

    return normalise_url


def cik_of_ticker(table: Any, ticker: str) -> str | None:
    """The CIK of a ticker in the SEC's list, which writes a dash where others write a dot."""
    normal = normal_ticker(ticker)
    rows = table.values() if isinstance(table, Mapping) else ()
    for row in rows:
        if (
            isinstance(row, Mapping)
            and normal_ticker(text_value(row.get("ticker"))) == normal
            and row.get("cik_str")
        ):
            return normal_cik(row["cik_str"])
    return None


def normal_ticker(ticker: str) -> str:
    return ticker.upper().replace(".", "-").replace("/", "-")
