"""Filings by full-text search: each filing once, with the address of its primary document and of its index."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from headwater.discover.api.asking import Api, Asking, ask, listed
from headwater.model.errors import Permanent, Temporary
from headwater.model.lead import Lead
from headwater.model.recipe import Conversation, Discover, Discovery, Found
from headwater.model.source import Source
from headwater.pure.filings import (
    ARCHIVE,
    Hit,
    chosen,
    cik_in,
    document_url,
    hit_of,
    index_url,
    ten_digits,
)

SEARCH = "https://efts.sec.gov"
PATH = "/LATEST/search-index"
TICKERS = "https://www.sec.gov/files/company_tickers.json"
FORMS = ("8-K", "10-Q", "10-K")
PER_PAGE, WINDOW = 100, 10_000
FIRST_LOOK, LOOK_BACK = timedelta(days=30), timedelta(days=3)


def filings(*, search: str = SEARCH, archive: str = ARCHIVE, tickers: str = TICKERS) -> Discover:
    """Looks at the filings of one company. Options: `cik` or else `ticker`, `forms` (8-K, 10-Q, 10-K), `releases`
    (press releases in EX-99 as well), `first_days`."""

    def discover(source: Source, now: datetime) -> Conversation:
        look = _Look(source, now, Api(search, source.kind), archive, tickers)
        yield from look.read()
        return look.end()

    return discover


@dataclass(slots=True)
class _Look:
    source: Source
    now: datetime
    api: Api
    archive: str
    tickers: str
    cik: str = ""
    newest: str = field(init=False)
    seen: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    again: timedelta | None = None

    def __post_init__(self) -> None:
        self.newest = str(self.source.watermark.get("filed", ""))

    def read(self) -> Conversation:
        self.cik = yield from self._company()
        known = set(self.source.watermark.get("seen", ()))
        handed: set[str] = set()
        for start in range(0, WINDOW, PER_PAGE):
            try:
                payload = yield from ask(self.api, self._page(start))
            except Temporary as trouble:
                if start == 0:
                    raise
                self.again = trouble.delay or timedelta(minutes=1)
                self.warnings.append(f"cut_short: {trouble.reason}")
                break
            hits = _hits(payload)
            releases = bool(self.source.options.get("releases", False))
            mine = [hit for hit in chosen(hits, self.cik, releases=releases) if _identity(hit) not in handed]
            handed.update(map(_identity, mine))
            if fresh := tuple(self._lead(hit) for hit in mine if _identity(hit) not in known):
                yield Found(fresh)
            self.newest = max([self.newest, *(hit.filed for hit in mine if self._is_past(hit.filed))])
            if start + PER_PAGE >= _total(payload) or not hits:
                break
        self.seen = sorted(handed | known if self.again else handed)
        return Discovery()

    def _is_past(self, day: str) -> bool:
        """Only a real day that has come may move the watermark: any other would hide what is filed before it."""
        found = _day(day)
        return found is not None and found <= self.now and len(day) == len("2026-11-13")

    def _company(self) -> Asking:
        """The number under which the regulator knows the company; asked for once and remembered."""
        options, mark = self.source.options, self.source.watermark
        known = options.get("cik") or mark.get("cik")
        if known:
            return ten_digits(known)
        ticker = str(options.get("ticker", ""))
        api = Api(self.tickers, self.source.kind)
        found = cik_in((yield from ask(api, api.question(""))), ticker) if ticker else None
        if found is None:
            raise Permanent("unknown_company", f"the regulator lists no company for '{ticker}'; give its cik")
        return found

    def _page(self, start: int) -> Any:
        forms = ",".join(self.source.options.get("forms", FORMS))
        return self.api.question(
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
        """Days overlap: the search lists some filings late."""
        mark = self.source.watermark.get("filed")
        if mark:
            return date.fromisoformat(str(mark)) - LOOK_BACK
        first = timedelta(days=float(self.source.options.get("first_days", FIRST_LOOK.days)))
        return (self.now - first).astimezone(UTC).date()

    def _lead(self, hit: Hit) -> Lead:
        attributes = {
            "document_type": "filing",
            "source_type": self.source.kind,
            "ticker": self.source.options.get("ticker"),
            "form": hit.form,
            "part": hit.kind,
            "accession": hit.adsh,
            "cik": self.cik,
            "filed": hit.filed,
            "period": hit.period,
            "items": list(hit.items),
            "index_url": index_url(hit.adsh, self.cik, self.archive),
        }
        company = self.source.options.get("name") or (hit.companies[0] if hit.companies else "")
        return Lead(
            identity=_identity(hit),
            url=document_url(hit, self.cik, self.archive),
            title=f"{company.split('  ')[0]}: {hit.kind} of {hit.filed}".strip(": "),
            published=_day(hit.filed),
            hints={
                "guid": _identity(hit),
                "publisher": company.split("  ")[0],
                "categories": [hit.form, *hit.items],
                "attributes": {name: value for name, value in attributes.items() if value},
            },
            subject=self.source.subject,
        )

    def end(self) -> Discovery:
        mark = {"filed": self.newest, "cik": self.cik, "seen": self.seen}
        return Discovery(watermark=mark, again=self.again, warnings=tuple(self.warnings))


def _identity(hit: Hit) -> str:
    return hit.adsh if hit.primary else f"{hit.adsh}:{hit.name}"


def _hits(payload: Any) -> list[Hit]:
    outer = payload.get("hits") if isinstance(payload, Mapping) else None
    return [hit for record in listed(outer, "hits") if (hit := hit_of(record)) is not None]


def _total(payload: Mapping[str, Any]) -> int:
    outer = payload.get("hits")
    total = outer.get("total") if isinstance(outer, Mapping) else None
    value = total.get("value") if isinstance(total, Mapping) else total
    return value if isinstance(value, int) else 0


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
