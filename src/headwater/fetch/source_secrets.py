"""Secrets of a source: parameters and headers that its URL and options refer to. They are resolved when a request is sent, and
removed from the response before anything of it is stored."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus, unquote_plus, urlsplit, urlunsplit

from headwater.model.http import Capture, Failure, Request, Response
from headwater.model.source import Source
from headwater.model.source_kind import HEADERS_OPTION
from headwater.secret_references import resolve_secret
from headwater.text.redaction import HIDDEN, hide_secrets, is_secret_name, is_secret_reference

# A shorter value would also be hidden where the same characters mean something else.
SHORTEST_HIDDEN = 6
# They say whom a request is for and where it ends: with one of them, a server in between reads another request than ours.
CONNECTION_HEADERS = frozenset(
    {"host", "connection", "content-length", "expect", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer",
     "transfer-encoding", "upgrade"}
)  # fmt: skip
Resolve = Callable[[str, str], str]


def has_references(url: str) -> bool:
    """Whether a parameter of the URL is `env:NAME` or `file:PATH`."""
    return any(is_secret_reference(value) for _, value in _fields(url))


def resolve_request(request: Request, source: Source, resolve: Resolve = resolve_secret) -> Request:
    """Returns the request as it is sent: with the secrets that its parameters refer to, and the headers of the source.

    Only what the operator wrote counts, and only for the origin for which it was written: a URL in a feed, a sitemap or a
    page cannot ask for a variable. Raises Refused if a secret is missing.
    """
    origin = _origin(request.url)
    own_urls = [url for url in _operator_urls(source) if _origin(url) == origin]
    allowed = {field for url in own_urls for field in _fields(url) if is_secret_reference(field[1])}
    references = {name: value for name, value in _fields(request.url) if (name, value) in allowed}
    secrets = {
        f"?{name}": resolve(value, f"{source.name}: {name} in the URL") for name, value in references.items()
    }
    if origin == _origin(source.url):
        secrets |= {
            name: resolve(value, f"{source.name}: header {name}") for name, value in _headers(source).items()
        }
    if not secrets:
        return request
    url = _without_parameters(request.url, references)
    return replace(request, url=url, secrets={**request.secrets, **secrets})


def may_move(source: Source, url: str) -> bool:
    """Whether the source may take over the URL of a permanent redirect. One with secrets stays where the operator put it, and
    no redirect may introduce a reference."""
    own = (source.url, url)
    return not _headers(source) and not any(has_references(part) for part in own)


def hide_secret_values(answer: Response | Failure, request: Request, sent: Request) -> Response | Failure:
    """Returns the answer without the secrets that `sent` had in addition to `request`, should the server quote them."""
    values = [value for name, value in sent.secrets.items() if name not in request.secrets]
    spellings = _longest_first({spelling for value in values for spelling in _spellings(value)})
    if not spellings:
        return answer
    if isinstance(answer, Failure):
        return replace(answer, detail=_hide(answer.detail, spellings))
    body = answer.body
    for spelling in spellings:
        body = body.replace(spelling.encode(), HIDDEN.encode())
    return replace(
        answer,
        url=_hide(answer.url, spellings),
        headers={name: _hide(value, spellings) for name, value in answer.headers.items()},
        body=body,
        hops=tuple((status, _hide(url, spellings)) for status, url in answer.hops),
    )


def hide_source_secrets(capture: Capture, source: Source) -> Capture:
    """Returns the capture without the secrets that stand in the source's own URLs: neither its URLs nor its headers show them.
    Parameters of other URLs stay, because a page may need them to be found again."""
    secrets = {field for url in _operator_urls(source) for field in _fields(url) if _is_secret(*field)}
    if not secrets:
        return capture
    spellings = _longest_first({spelling for _, value in secrets for spelling in _spellings(value)})
    return replace(
        capture,
        url=_hide_fields(capture.url, secrets),
        final_url=_hide_fields(capture.final_url, secrets),
        headers={name: _hide(value, spellings) for name, value in capture.headers.items()},
    )


def hide_address_secrets(text: str, source: Source) -> str:
    """The text without the secrets that stand in the source's own URLs: a server may quote them in an answer that we quote."""
    values = [
        value for url in _operator_urls(source) for name, value in _fields(url) if _is_secret(name, value)
    ]
    return _hide(text, _longest_first({spelling for value in values for spelling in _spellings(value)}))


def check_headers(headers: Any) -> str | None:
    """Returns what is wrong with the option `headers`, or None."""
    if not isinstance(headers, dict) or not all(
        isinstance(name, str) and isinstance(value, str) for name, value in headers.items()
    ):
        return "give names and texts, for example {Authorization: env:FEED_AUTH}"
    for name, value in headers.items():
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            return f"{name!r} is not the name of a header"
        if name.lower() in CONNECTION_HEADERS:
            return f"leave out {name}: it belongs to the connection, and the fetcher sets it itself"
        if not value.isprintable():
            return f"the value of {name} has control characters"
        if is_secret_name(name) and not is_secret_reference(value):
            return f"do not write the value of {name} into the list; use env:NAME or file:PATH"
    return None


def _operator_urls(source: Source) -> Iterator[str]:
    fallback = source.options.get("fallback", ())
    yield source.url
    yield from [fallback] if isinstance(fallback, str) else fallback


def _headers(source: Source) -> dict[str, str]:
    headers = source.options.get(HEADERS_OPTION)
    return headers if isinstance(headers, dict) else {}


def _fields(url: str) -> Iterator[tuple[str, str]]:
    try:
        query = urlsplit(url).query
    except ValueError:
        return
    for field in query.split("&"):
        name, _, value = field.partition("=")
        yield unquote_plus(name), unquote_plus(value)


def _is_secret(name: str, value: str) -> bool:
    return bool(value) and is_secret_name(name) and not is_secret_reference(value)


def _hide_fields(url: str, secrets: Collection[tuple[str, str]]) -> str:
    return hide_secrets(url) if any(field in secrets for field in _fields(url)) else url


def _without_parameters(url: str, names: Collection[str]) -> str:
    parts = urlsplit(url)
    fields = [field for field in parts.query.split("&") if unquote_plus(field.partition("=")[0]) not in names]
    return urlunsplit(parts._replace(query="&".join(fields)))


def _origin(url: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.scheme.lower(), parts.netloc.lower()


def _spellings(value: str) -> set[str]:
    """The ways in which a server may quote a secret: of `Bearer KEY` also the key alone."""
    values = {value, value.rpartition(" ")[2]}
    spellings = {spelling for text in values for spelling in (text, quote(text, safe=""), quote_plus(text))}
    return {spelling for spelling in spellings if len(spelling) >= SHORTEST_HIDDEN}


def _longest_first(spellings: Collection[str]) -> list[str]:
    """A part of a secret must not be hidden before the whole."""
    return sorted(spellings, key=len, reverse=True)


def _hide(text: str, spellings: Sequence[str]) -> str:
    for spelling in spellings:
        text = text.replace(spelling, HIDDEN)
    return text
