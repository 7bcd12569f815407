"""Discovers pages and documents in the datasets of datos.gob.es, a Linked Data API."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from headwater.model.errors import Permanent
from headwater.model.http import Request
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.sources.options import int_option
from headwater.text.json_payload import BadJson, decode_payload

PAGE = 50
DEFAULT_ITEMS, MOST_ITEMS = 500, 5_000
READABLE = ("html", "pdf", "msword", "wordprocessingml", "opendocument.text", "xml")


def discover_open_data(source: Source, now: datetime) -> PollSession:
    """Poll page after page until there are no more items, or the option `most` is reached. Metadata of the dataset become
    hints."""
    del now
    most = int_option(source.options, "most", default=DEFAULT_ITEMS, most=MOST_ITEMS)
    number = count = 0
    while count < most:
        query = urlencode({"_page": number, "_pageSize": PAGE, "_sort": "-modified"})
        answer = yield Request(url=f"{source.url}.json?{query}", purpose="api", source_kind=source.kind)
        assert answer is not None
        datasets = _datasets(answer.body)
        if not datasets:
            break
        yield LeadBatch(tuple(lead for dataset in datasets for lead in _leads(dataset)))
        count += len(datasets)
        number += 1
    return Discovery()


def _datasets(body: bytes) -> list[Mapping[str, Any]]:
    try:
        content = decode_payload(body)
    except BadJson as error:
        raise Permanent("malformed", f"the response of the catalogue is not JSON: {error}") from error
    result = content.get("result") if isinstance(content, dict) else None
    items = result.get("items") if isinstance(result, dict) else None
    return [item for item in items or () if isinstance(item, dict)]


def _leads(dataset: Mapping[str, Any]) -> Iterator[Lead]:
    title = _text(dataset.get("title"))
    for distribution in _as_list(dataset.get("distribution")):
        if not isinstance(distribution, Mapping) or not _is_readable(distribution):
            continue
        url = str(distribution.get("accessURL") or "")
        if url.startswith(("http://", "https://")):
            yield Lead(
                identity=url,
                url=url,
                version=str(dataset.get("modified") or ""),
                title=None,
                hints={
                    "attributes": {"dataset": str(dataset.get("_about") or ""), "dataset_title": title},
                    "summary": _text(dataset.get("description")),
                },
            )


def _is_readable(distribution: Mapping[str, Any]) -> bool:
    value = distribution.get("format")
    name = str(value.get("value") if isinstance(value, Mapping) else value or "").lower()
    return any(word in name for word in READABLE)


def _text(value: Any) -> str:
    """The text of a string, an object with a value, or a list of either: the Spanish one, else the first."""
    texts = [text for text in _as_list(value) if text]
    spanish = [text for text in texts if isinstance(text, Mapping) and text.get("_lang") == "es"]
    first = (spanish or texts or [""])[0]
    return str(first.get("_value", "") if isinstance(first, Mapping) else first)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
