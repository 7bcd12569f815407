"""The gate that reads what a publisher says about the use of a page, records it, and refuses where the settings say so.

A host's `tdmrep.json` is asked for only where a TDM reservation is to refuse: a file whose answer changes nothing is
not worth a request at every host.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from headwater.fetch.failures import Stopped
from headwater.fetch.origin_files import Fetch, Kind, OriginFiles
from headwater.fetch.routes import Route
from headwater.fetch.settings import FetchSettings
from headwater.model.web import Response
from headwater.pure.reservations import (
    SAID,
    Rule,
    read_tdmrep,
    rule_for,
    said_by_file,
    said_by_headers,
    said_by_page,
    signals,
)

_USED = frozenset({"page", "feed"})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
# A file that robots.txt closes, or that is no file at all, says nothing.
_ABSENT = frozenset({"redirects", "robots", "too_large", "encoding", "bad_url", "forbidden_address"})


class ReservationsGate:
    """Lives in one event loop."""

    def __init__(
        self,
        settings: FetchSettings,
        fetch: Fetch,
        now: Callable[[], float],
        give_back: Callable[[int], None],
    ) -> None:
        self._refused = settings.reservations
        self._now = now
        lifetime = settings.robots_lifetime / timedelta(seconds=1)
        retry = settings.robots_retry / timedelta(seconds=1)

        def read(status: int, body: bytes) -> tuple[tuple[Rule, ...], float, bool]:
            unreachable = status == 429 or status >= 500
            rules = read_tdmrep(body) if 200 <= status < 300 else ()
            return rules, retry if unreachable else lifetime, unreachable

        kind = Kind(path="/.well-known/tdmrep.json", purpose="policy", read=read, absent=_ABSENT)
        self._files: OriginFiles[tuple[Rule, ...]] = OriginFiles(kind, fetch, now, give_back)

    async def ask(self, route: Route, purpose: str, policy: dict[str, Any]) -> None:
        """Before the page is asked for. Stops when the site's file reserves it, or cannot be had."""
        for name in SAID:
            policy.pop(name, None)  # said of the place that led here
        if "tdm" not in self._refused or purpose not in _USED:
            return
        known = await self._files.of(route)
        if known.temporary:
            raise Stopped("reserved", "tdmrep.json unreachable", delay=known.rest(self._now()))
        rule = rule_for(known.said, route.url.raw_path_qs)
        if rule is not None:
            policy.update(said_by_file(rule))
            if rule.reserved:
                raise Stopped("reserved", f"tdmrep.json: {rule.location}", temporary=False)

    def record(self, response: Response, purpose: str, token: str, policy: dict[str, Any]) -> frozenset[str]:
        """What the answer itself says; gives what of it refuses the answer."""
        if purpose not in _USED:
            return frozenset()
        policy.update(said_by_headers(response.headers))
        if response.media_type in _HTML:
            policy.update(said_by_page(response.body, token))
        if not self._refused:
            return frozenset()
        # Nearly every feed says noindex: that keeps the file itself out of search results.
        return signals(policy, token) & self._refused - ({"noindex"} if purpose == "feed" else frozenset())
