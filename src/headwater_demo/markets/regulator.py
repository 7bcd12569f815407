"""The regulator: a search over filings, and the filings. It refuses anonymous clients and too many requests per second."""

import json
import time
from collections import deque
from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any

from headwater_demo.markets.companies import BY_TICKER, COMPANIES, Company
from headwater_demo.markets.market import DemoMarket
from headwater_demo.site import JSON, TEXT, Site, SiteRequest, SiteResponse, not_found, page

SEARCH, ARCHIVE = "efts.sec.example", "www.sec.example"
PER_PAGE, WINDOW = 100, 10_000
_REFERENCE = "<p>Reference ID: 0.{}</p>"
Hit = dict[str, Any]


def regulator(market: DemoMarket) -> list[Site]:
    request_times: deque[float] = deque()

    def refuse(request: SiteRequest) -> SiteResponse | None:
        if "@" not in request.headers.get("user-agent", ""):
            return _refusal("Undeclared Automated Tool")
        now = time.monotonic()
        request_times.append(now)
        while request_times[0] < now - 1:
            request_times.popleft()
        if market.burst is not None and len(request_times) > market.burst:
            return _refusal("Request Rate Threshold Exceeded")
        return None

    return [
        Site(SEARCH, lambda request: refuse(request) or _search(market, request)),
        Site(ARCHIVE, lambda request: refuse(request) or _archive(market, request)),
    ]


def _refusal(why: str) -> SiteResponse:
    return page(
        f"<!doctype html><title>SEC.gov | {why}</title><h1>{why}</h1>{_REFERENCE.format('7c1')}", status=403
    )


def _filings(market: DemoMarket) -> Iterator[tuple[Company, str, str, date]]:
    """(company, form, accession, day): an 8-K each, a 10-Q for every third."""
    today = market.start.date()
    for number, company in enumerate(COMPANIES):
        yield company, "8-K", f"{company.cik}-26-{number + 17:06d}", today - timedelta(days=number % 9 + 1)
        if number % 3 == 0:
            yield (
                company,
                "10-Q",
                f"{company.cik}-26-{number + 117:06d}",
                today - timedelta(days=number % 7 + 2),
            )


def _hits(market: DemoMarket) -> Iterator[Hit]:
    for company, form, adsh, day in _filings(market):
        name = company.ticker.lower()
        for sequence, (kind, file) in enumerate(_parts(form, name, day), 1):
            yield _hit(company, form, adsh, day, kind=kind, file=file, sequence=sequence)


def _parts(form: str, name: str, day: date) -> list[tuple[str, str]]:
    main = (form, f"{name}-{day:%Y%m%d}.htm")
    if form == "10-Q":
        return [main, ("EX-31.1", f"{name}-ex311.htm"), ("EX-101.SCH", f"{name}-{day:%Y%m%d}.xsd")]
    return [main, ("EX-99.1", f"{name}-ex991.htm"), ("GRAPHIC", f"{name}-logo.jpg"), ("XML", "R1.xml")]


def _hit(company: Company, form: str, adsh: str, day: date, *, kind: str, file: str, sequence: int) -> Hit:
    source = {
        "ciks": [company.cik],
        "period_ending": day.isoformat(),
        "display_names": [f"{company.legal_name}  ({company.ticker})  (CIK {company.cik})"],
        "xsl": None,
        "sequence": sequence if sequence % 2 else str(sequence),
        "root_forms": [form],
        "file_date": day.isoformat(),
        "form": form,
        "adsh": adsh,
        "file_type": kind,
        "file_description": kind,
        "items": ["2.02", "9.01"] if form == "8-K" else [],
    }
    return {"_index": "edgar_file", "_id": f"{adsh}:{file}", "_score": None, "_source": source}


def _search(market: DemoMarket, request: SiteRequest) -> SiteResponse:
    if request.path != "/LATEST/search-index":
        return not_found(request)
    query = request.query
    start = int(query.get("from", 0))
    if start >= WINDOW:
        return SiteResponse(status=500, body=b'{"message":"Internal server error"}', media_type=JSON)
    ciks = set(filter(None, query.get("ciks", "").split(",")))
    forms = set(filter(None, query.get("forms", "").split(",")))
    matching = [
        hit
        for hit in _hits(market)
        if (not ciks or ciks & set(hit["_source"]["ciks"]))
        and (not forms or forms & set(hit["_source"]["root_forms"]))
        and query.get("startdt", "") <= hit["_source"]["file_date"] <= query.get("enddt", "9999")
        and hit["_source"]["file_date"] <= request.now.date().isoformat()
    ]
    answer = {
        "took": int(market.response_id(request), 16) % 97 + 1,
        "timed_out": False,
        "hits": {
            "total": {"value": min(len(matching), WINDOW), "relation": "eq"},
            "max_score": None,
            "hits": matching[start : start + PER_PAGE],
        },
        "query": {"from": start, "size": PER_PAGE},
    }
    return SiteResponse(body=json.dumps(answer).encode(), media_type=JSON)


def _archive(market: DemoMarket, request: SiteRequest) -> SiteResponse:
    if request.path == "/robots.txt":
        return SiteResponse(body=b"User-agent: *\nAllow: /Archives/edgar/data\n", media_type=TEXT)
    if request.path == "/files/company_tickers.json":
        rows = {
            str(n): {
                "cik_str": int(listed_company.cik),
                "ticker": listed_company.ticker,
                "title": listed_company.legal_name,
            }
            for n, listed_company in enumerate(COMPANIES)
        }
        return SiteResponse(body=json.dumps(rows).encode(), media_type=JSON)
    file = request.path.rpartition("/")[2]
    company = BY_TICKER.get(file.partition("-")[0].upper())
    folder = f"/Archives/edgar/data/{int(company.cik)}/" if company else "\0"
    if company is None or not request.path.startswith(folder) or not file.endswith(".htm"):
        return not_found(request)
    return page(_document(market, company, request.path))


def _document(market: DemoMarket, company: Company, path: str) -> str:
    chance = Random(f"{market.seed}:{path}")
    rows = "".join(
        f"<tr><td>{name}</td><td>{chance.randint(100, 900)}</td><td>{chance.randint(100, 900)}</td></tr>"
        for name in ("Net sales", "Cost of sales", "Research", "Operating income", "Net income")
    )
    facts = "".join(f"<p>{_sentence(company, chance)}</p>" for _ in range(6))
    return (
        f"<!doctype html><html lang='en'><head><title>{path.rpartition('/')[2]}</title></head><body>"
        f"<h1>{company.legal_name}</h1><p>Commission file number 001-{chance.randint(10000, 99999)}</p>"
        f"<h2>Item 2.02 Results of Operations and Financial Condition</h2>{facts}"
        f"<table><tr><th>In millions of dollars</th><th>2026</th><th>2025</th></tr>{rows}</table></body></html>"
    )


def _sentence(company: Company, chance: Random) -> str:
    return (
        f"{company.legal_name} recorded {chance.choice(('sales', 'charges', 'orders', 'provisions'))} of "
        f"${chance.randint(3, 900)} million in the {chance.choice(('third quarter', 'nine months', 'period'))}, "
        f"compared with ${chance.randint(3, 900)} million a year earlier, mainly because of "
        f"{chance.choice(('higher volumes', 'currency effects', 'two closed sites', 'a settlement', 'new contracts'))} in "
        f"{chance.choice(('Europe', 'Asia', 'the Americas', 'the home market'))}."
    )
