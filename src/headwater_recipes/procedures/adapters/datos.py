"""datos.gob.es, a Linked-Data API: the pages and papers that its datasets distribute, as leads."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import msgspec

from headwater.model.errors import Permanent
from headwater.model.http import Request
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.sources.options import int_option

PAGE = 50
USUAL, MOST = 500, 5_000
READABLE = ("html", "pdf", "msword", "wordprocessingml", "opendocument.text", "xml")


def discover_open_data(source: Source, now: datetime) -> PollSession:
    """Page after page until there are no more items, or as many as option `most` says. What the catalogue says of a
    dataset goes along as hints."""
    del now
    most = int_option(source.options, "most", default=USUAL, most=MOST)
    number = seen = 0
    while seen < most:
        query = urlencode({"_page": number, "_pageSize": PAGE, "_sort": "-modified"})
        answer = yield Request(url=f"{source.url}.json?{query}", purpose="api", source_kind=source.kind)
        assert answer is not None
        found = _datasets(answer.body)
        if not found:
            break
        yield LeadBatch(tuple(lead for dataset in found for lead in _leads(dataset)))
        seen += len(found)
        number += 1
    return Discovery()


def _datasets(body: bytes) -> list[Mapping[str, Any]]:
    try:
        told = msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise Permanent("malformed", f"the catalogue's answer is no JSON: {error}") from error
    result = told.get("result") if isinstance(told, dict) else None
    listed = result.get("items") if isinstance(result, dict) else None
    return [one for one in listed or () if isinstance(one, dict)]


def _leads(dataset: Mapping[str, Any]) -> Iterator[Lead]:
    title = _text(dataset.get("title"))
    for one in _many(dataset.get("distribution")):
        if not isinstance(one, Mapping) or not _is_readable(one):
            continue
        url = str(one.get("accessURL") or "")
        if url.startswith(("http://", "https://")):
            yield Lead(
                identity=url,
                url=url,
                version=str(dataset.get("modified") or ""),
                title=None,
                hints={
                    "dataset": str(dataset.get("_about") or ""),
                    "dataset_title": title,
                    "summary": _text(dataset.get("description")),
                },
            )


def _is_readable(distribution: Mapping[str, Any]) -> bool:
    kind = distribution.get("format")
    said = str(kind.get("value") if isinstance(kind, Mapping) else kind or "").lower()
    return any(word in said for word in READABLE)


def _text(value: Any) -> str:
    """A string, an object with a value, or a list of either: the Spanish one, else the first."""
    found = [one for one in _many(value) if one]
    spanish = [one for one in found if isinstance(one, Mapping) and one.get("_lang") == "es"]
    first = (spanish or found or [""])[0]
    return str(first.get("_value", "") if isinstance(first, Mapping) else first)


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
