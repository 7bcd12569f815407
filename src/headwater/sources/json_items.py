"""A JSON API as a source: a list of items, whose fields a map of paths names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import urljoin, urlsplit

from headwater.extract.field_maps import values_at
from headwater.fetch.responses import conditional_headers, header_value
from headwater.model.errors import Permanent
from headwater.model.http import Request, Response
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.json_api import Credential, decode_json
from headwater.sources.options import bad_option, int_option
from headwater.text.written_dates import parse_feed_date, plausible_date

LEAD_FIELDS = ("id", "url", "title", "published", "updated", "text", "subject")
HINT_FIELDS = ("authors", "summary", "categories", "image", "language", "publisher")
LIST_HINTS = frozenset({"authors", "categories"})
DEFAULT_PAGES, MOST_PAGES = 10, 1_000
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemMap:
    """Where the items are and which path of an item is which field; other names become attributes of the document."""

    items: str
    fields: Mapping[str, str]
    next_page: str = ""
    max_pages: int = DEFAULT_PAGES
    key: Credential | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)


def discover_json_items(source: Source, now: datetime) -> PollSession:
    """A lead for every item of a JSON answer, page by page.

    An item with a text is not fetched. The poll ends early at a page that brings nothing new since the last poll.
    """
    item_map, warnings = read_item_map(source), WarningLog()
    url, digests = source.url, []
    known_digests = set(source.watermark.get("pages", ()))
    for number in range(item_map.max_pages):
        response = yield _request(source, url, item_map, first=number == 0)
        assert response is not None
        if response.status == NOT_MODIFIED:
            return Discovery()
        digest = sha256(response.body).hexdigest()[:16]
        digests.append(digest)
        payload = decode_json(response)
        if number == 0:
            watermark = _validators(response)
        if digest in known_digests:
            break
        yield LeadBatch(leads_from_items(payload, item_map, source, now, warnings))
        url = _next_url(payload, item_map, response.url)
        if not url:
            break
    return Discovery(watermark={**watermark, "pages": digests}, warnings=warnings.lines())


def read_item_map(source: Source) -> ItemMap:
    options = source.options
    fields = options.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise bad_option(
            "fields", "name at least `url` or `text`, each with its path: {url: link, title: headline}"
        )
    paths = {str(name): path for name, path in fields.items()}
    if wrong := [name for name, path in paths.items() if not isinstance(path, str) or not path]:
        raise bad_option("fields", f"'{wrong[0]}' needs a path such as data.title")
    if not paths.keys() & {"url", "text"}:
        raise bad_option("fields", "an item needs a path for `url` or for `text`")
    known_names = {*LEAD_FIELDS, *HINT_FIELDS}
    return ItemMap(
        items=_text_option(options, "items"),
        fields={name: path for name, path in paths.items() if name in known_names},
        attributes={name: path for name, path in paths.items() if name not in known_names},
        next_page=_text_option(options, "next_page"),
        max_pages=int_option(options, "max_pages", default=DEFAULT_PAGES, most=MOST_PAGES),
        key=_key_option(options, source.name),
    )


def _text_option(options: Mapping[str, Any], name: str) -> str:
    value = options.get(name, "")
    if not isinstance(value, str):
        raise bad_option(name, f"a path such as data.items is needed, not {value!r}")
    return value


def _key_option(options: Mapping[str, Any], name: str) -> Credential | None:
    """`key: {header: Authorization, variable: NEWS_KEY, scheme: "Bearer "}`: the key itself stays in the environment."""
    key = options.get("key")
    if key is None:
        return None
    if not isinstance(key, Mapping) or not isinstance(key.get("variable"), str):
        raise bad_option(
            "key", "name the environment variable that holds it: {header: X-Api-Key, variable: NEWS_KEY}"
        )
    if unknown := set(key) - {"header", "variable", "scheme"}:
        raise bad_option(
            "key", f"there is no '{min(map(str, unknown))}'; there are header, variable and scheme"
        )
    return Credential(
        name, {str(key.get("header", "Authorization")): key["variable"]}, str(key.get("scheme", ""))
    )


def leads_from_items(
    payload: Any, item_map: ItemMap, source: Source, now: datetime, warnings: WarningLog
) -> tuple[Lead, ...]:
    items = values_at(payload, item_map.items) if item_map.items else [payload]
    flat_items = [item for value in items for item in (value if isinstance(value, list) else [value])]
    if not any(isinstance(item, Mapping) for item in flat_items):
        if flat_items or item_map.items:
            warnings("no_items", f"nothing at '{item_map.items}'")
        return ()
    leads = (_lead(item, item_map, source, now, warnings) for item in flat_items if isinstance(item, Mapping))
    return tuple(lead for lead in leads if lead is not None)


def _lead(
    item: Mapping[str, Any], item_map: ItemMap, source: Source, now: datetime, warnings: WarningLog
) -> Lead | None:
    texts = {name: _texts(item, path) for name, path in item_map.fields.items()}

    def one(name: str) -> str:
        return texts[name][0] if texts.get(name) else ""

    url = urljoin(source.url, one("url")) if one("url") else ""
    if urlsplit(url).scheme not in ("http", "https", ""):
        warnings("bad_address", url)
        return None
    body, identity = "\n\n".join(texts.get("text", ())) or None, one("id") or url or one("title")
    if not identity or not (url or body):
        warnings("item_without_address", one("title"))
        return None
    hints: dict[str, Any] = {
        name: texts[name] if name in LIST_HINTS else one(name) for name in HINT_FIELDS if texts.get(name)
    }
    attributes = {
        name: values if len(values) > 1 else values[0]
        for name, path in item_map.attributes.items()
        if (values := _texts(item, path))
    }
    return Lead(
        identity=identity,
        url=url,
        version=sha256(repr(sorted(texts.items())).encode("utf-8", "surrogatepass")).hexdigest()[:16],
        title=one("title") or None,
        published=plausible_date(
            parse_feed_date(one("published") or one("updated"), warnings), now, warnings
        ),
        body=body,
        hints=hints
        | ({"guid": one("id")} if one("id") else {})
        | ({"attributes": attributes} if attributes else {}),
        subject=one("subject") or source.subject,
    )


def _texts(item: Any, path: str) -> list[str]:
    """The values at a path as texts; numbers are written out, empty ones left out."""
    values = [value for value in values_at(item, path) if isinstance(value, str | int | float)]
    return [text for value in values if not isinstance(value, bool) and (text := str(value).strip())]


def _next_url(payload: Any, item_map: ItemMap, base: str) -> str:
    """The next page, only on the same host: the key is sent to no other."""
    texts = _texts(payload, item_map.next_page) if item_map.next_page else []
    url = urljoin(base, texts[0]) if texts else ""
    return url if urlsplit(url).netloc == urlsplit(base).netloc and url != base else ""


def _request(source: Source, url: str, item_map: ItemMap, *, first: bool) -> Request:
    validators = source.watermark.get("etag"), source.watermark.get("last_modified")
    key = item_map.key
    return Request(
        url=url,
        headers={"Accept": "application/json", **(conditional_headers(*validators) if first else {})},
        purpose="api",
        source_kind=source.kind,
        credential=key.name if key else None,
        secrets=key.headers() if key else {},
    )


def _validators(response: Response) -> dict[str, Any]:
    etag, modified = header_value(response.headers, "etag"), header_value(response.headers, "last-modified")
    return {"etag": etag or None, "last_modified": modified or None}


def check_json_items(source: Source) -> None:
    """Raises Permanent if the options of the source are wrong."""
    if not source.url:
        raise Permanent("bad_options", "url: the address of the API is needed")
    read_item_map(source)
