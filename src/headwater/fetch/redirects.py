"""What of a request may go along to the place that a redirect names."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, quote_plus

from headwater.fetch.exchange import Call
from headwater.fetch.routes import Route

# Headers that say nothing about who asks: only these go along to another host.
_HARMLESS = frozenset({"accept", "accept-language", "if-none-match", "if-modified-since", "a-im"})


def redirected(call: Call, status: int, route: Route, target: Route) -> Call:
    """The call as it is repeated at the new place."""
    if status == 303 or (status in (301, 302) and call.method == "POST"):
        call = replace(call, method="HEAD" if call.method == "HEAD" else "GET", body=None)
    if same_place(route, target):
        return call
    headers = {name: value for name, value in call.headers.items() if name.lower() in _HARMLESS}
    return replace(call, headers=headers, secrets={}, body=None, credential=None)


def same_place(route: Route, target: Route) -> bool:
    """True when keys may go along: the same scheme, host and port, or the same host made safer."""
    if route.host != target.host:
        return False
    if (route.url.scheme, route.port) == (target.url.scheme, target.port):
        return True
    return (route.url.scheme, route.port, target.url.scheme, target.port) == ("http", 80, "https", 443)


def without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """A server may quote a key back at us, in a redirect for instance: it is cut out before anybody sees it."""
    for value in secrets.values():
        for spelling in {value, quote(value, safe=""), quote_plus(value)} if value else ():
            text = text.replace(spelling, "")
    return text
