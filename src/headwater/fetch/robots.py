"""The gate that asks a host's robots.txt."""

from collections.abc import Callable
from datetime import timedelta

from headwater.fetch.failures import Stopped
from headwater.fetch.origin_files import Fetch, Kind, OriginFiles
from headwater.fetch.routes import Route
from headwater.fetch.settings import FetchSettings
from headwater.pure.robots import Robots, Ruling, answered

_DAY = timedelta(days=1)
# Endless redirects lead to no file, which is the same as having none.
_ABSENT = frozenset({"redirects"})


class RobotsGate:
    """Lives in one event loop."""

    def __init__(
        self,
        settings: FetchSettings,
        fetch: Fetch,
        now: Callable[[], float],
        give_back: Callable[[int], None],
    ) -> None:
        # RFC 9309 lets nobody rely on a file that is older than a day.
        lifetime = min(settings.robots_lifetime, _DAY) / timedelta(seconds=1)
        retry = min(settings.robots_retry, _DAY) / timedelta(seconds=1)

        def read(status: int, body: bytes) -> tuple[Robots, float, bool]:
            robots = answered(status, body)
            refused = robots.verdict is not None and not robots.verdict.allowed
            return robots, retry if refused else lifetime, refused

        self._now = now
        kind = Kind(path="/robots.txt", purpose="robots", read=read, absent=_ABSENT)
        self._files: OriginFiles[Robots] = OriginFiles(kind, fetch, now, give_back)

    async def ruling(self, route: Route, token: str) -> Ruling:
        """What robots.txt says about the URL. Stops when it forbids it, or when it cannot be had."""
        known = await self._files.of(route)
        ruling = known.said.ruling(token, route.url.raw_path_qs)
        if ruling.allowed:
            return ruling
        raise Stopped("robots", ruling.because, temporary=known.temporary, delay=known.rest(self._now()))
