"""The watch list: a YAML file of companies and their sources."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from headwater.model.errors import Refused
from headwater.model.keys import key
from headwater.model.page import PageMode
from headwater.model.source import Source
from headwater.model.subject import CONFIDENCE_BY_KIND, Alias, Subject
from headwater.settings.sources import SourceLine, make_source
from headwater.settings.yaml_file import load_yaml

RECIPE = "markets"
CONFIDENCE = {"ticker": CONFIDENCE_BY_KIND["identifier"]}
KIND_ALIASES = {"execution_api": "broker"}
"""The neutral vocabulary has another name for a kind."""


class WatchedCompany(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ticker: str
    name: str
    sector: str
    legal_name: str = ""
    cik: str = ""
    aliases: list[str] = []
    brands: list[str] = []
    active: bool = True

    @property
    def subject(self) -> str:
        return key("subject", RECIPE, self.ticker)


class WatchListSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A source. With `per_company` it becomes one source per active company, with `tickers` one per named company."""

    name: str
    kind: str
    per_company: bool = False
    tickers: list[str] = []
    url: str = ""
    every: str | None = None
    cron: str | None = None
    pages: PageMode | None = None
    credibility: float = 0.5
    active: bool = True
    options: dict[str, Any] = {}


class WatchListFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    entities: list[WatchedCompany]
    sources: list[WatchListSource]


@dataclass(frozen=True, slots=True)
class WatchList:
    subjects: tuple[Subject, ...]
    sources: tuple[Source, ...]
    tickers: dict[str, str]
    """Ticker to subject."""


NO_COMPANIES = WatchList((), (), {})


def load_watch_list(path: Path) -> WatchList:
    file = load_yaml(path, WatchListFile)
    tickers = {company.ticker: company.subject for company in file.entities}
    if len(tickers) < len(file.entities):
        raise Refused("bad_config", f"{path}: entities: a ticker is listed twice")
    companies = {company.ticker: company for company in file.entities if company.active}
    sources = tuple(
        source
        for number, line in enumerate(file.sources)
        for source in _expanded(line, companies, f"{path}: sources[{number}]")
    )
    return WatchList(tuple(map(_subject, file.entities)), sources, tickers)


def _expanded(line: WatchListSource, companies: dict[str, WatchedCompany], where: str) -> list[Source]:
    unknown = [ticker for ticker in line.tickers if ticker not in companies]
    if unknown:
        raise Refused("bad_config", f"{where}.tickers: no active company has the ticker '{unknown[0]}'")
    if not line.per_company and not line.tickers:
        return [_source(line, None, where)]
    selected = [companies[ticker] for ticker in line.tickers] or list(companies.values())
    return [_source(line, company, where) for company in selected]


def _source(line: WatchListSource, company: WatchedCompany | None, where: str) -> Source:
    company_options = {"ticker": company.ticker, "cik": company.cik, "name": company.name} if company else {}
    return make_source(
        SourceLine(
            name=f"{company.ticker} {line.name}" if company else line.name,
            kind=KIND_ALIASES.get(line.kind, line.kind),
            url=line.url,
            every=line.every,
            cron=line.cron,
            subject=company.subject if company else None,
            pages=line.pages,
            credibility=line.credibility,
            active=line.active,
            options={**{name: value for name, value in company_options.items() if value}, **line.options},
        ),
        RECIPE,
        where,
    )


def _subject(company: WatchedCompany) -> Subject:
    legal = company.legal_name or company.name
    names = [
        (company.ticker, "ticker"),
        (legal, "legal_name"),
        *((alias, "alias") for alias in (company.name, *company.aliases)),
        *((brand, "brand") for brand in company.brands),
    ]
    kinds = dict(reversed(names))
    return Subject(
        id=company.subject,
        name=company.name,
        active=company.active,
        aliases=tuple(
            Alias(name, company.subject, kinds[name], CONFIDENCE.get(kinds[name], 0.0))
            for name in dict.fromkeys(n for n, _ in names)
        ),
        attributes={
            "ticker": company.ticker,
            "legal_name": legal,
            "sector": company.sector,
            "cik": company.cik,
        },
    )
