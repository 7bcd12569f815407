"""Who is watched and what is asked about them: a YAML file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from headwater.model.errors import Refused
from headwater.model.keys import key
from headwater.model.source import Source
from headwater.model.subject import Alias, Subject
from headwater.settings.sources import SourceLine, make_source
from headwater.settings.yaml_file import load_yaml

RECIPE = "markets"


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
    """A source; with `each` it stands for one per active company, with `tickers` for one per company named there."""

    name: str
    kind: str
    each: bool = False
    tickers: list[str] = []
    url: str = ""
    every: str | None = None
    cron: str | None = None
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
    """Of each ticker, its subject."""


def load_watch_list(path: Path) -> WatchList:
    written = load_yaml(path, WatchListFile)
    tickers = {one.ticker: one.subject for one in written.entities}
    if len(tickers) < len(written.entities):
        raise Refused("bad_config", f"{path}: entities: a ticker is listed twice")
    entities = {one.ticker: one for one in written.entities if one.active}
    sources = tuple(
        made
        for number, line in enumerate(written.sources)
        for made in _expanded(line, entities, f"{path}: sources[{number}]")
    )
    return WatchList(tuple(map(_subject, written.entities)), sources, tickers)


def _expanded(line: WatchListSource, entities: dict[str, WatchedCompany], where: str) -> list[Source]:
    unknown = [ticker for ticker in line.tickers if ticker not in entities]
    if unknown:
        raise Refused("bad_config", f"{where}.tickers: no active company has the ticker '{unknown[0]}'")
    chosen = [entities[ticker] for ticker in line.tickers] or (list(entities.values()) if line.each else [])
    if not chosen:
        return [_source(line, None, where)]
    return [_source(line, entity, where) for entity in chosen]


def _source(line: WatchListSource, entity: WatchedCompany | None, where: str) -> Source:
    about = {"ticker": entity.ticker, "cik": entity.cik, "name": entity.name} if entity else {}
    return make_source(
        SourceLine(
            name=f"{entity.ticker} {line.name}" if entity else line.name,
            kind=line.kind,
            url=line.url,
            every=line.every,
            cron=line.cron,
            subject=entity.subject if entity else None,
            credibility=line.credibility,
            active=line.active,
            options={**{name: value for name, value in about.items() if value}, **line.options},
        ),
        RECIPE,
        where,
    )


def _subject(entity: WatchedCompany) -> Subject:
    legal = entity.legal_name or entity.name
    names = [
        (entity.ticker, "ticker"),
        (legal, "legal_name"),
        *((alias, "alias") for alias in (entity.name, *entity.aliases)),
        *((brand, "brand") for brand in entity.brands),
    ]
    surest = dict(reversed(names))
    return Subject(
        id=entity.subject,
        name=entity.name,
        active=entity.active,
        aliases=tuple(
            Alias(name, entity.subject, surest[name]) for name in dict.fromkeys(n for n, _ in names)
        ),
        attributes={"ticker": entity.ticker, "legal_name": legal, "sector": entity.sector, "cik": entity.cik},
    )
