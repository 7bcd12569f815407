"""Everything that waits for the network, in one place: looks at sources and fetches of leads share one fetcher."""

from collections.abc import Sequence
from datetime import timedelta

from headwater.engine.desk import Desk
from headwater.engine.fetch import Fetches
from headwater.engine.poll import Looks
from headwater.engine.pulse import Pulse
from headwater.model.errors import Refused
from headwater.model.web import Failure, Response
from headwater.model.work import Job, Task

POLLS_AT_ONCE = 50


class Network:
    """Keeps the fetcher busy: claims while there is room, hands answers to whoever asked, commits in batches.

    Holds what is under way in memory only; if it dies, the leases run out and the rows are claimed again.
    """

    def __init__(self, desk: Desk, jobs: Sequence[Job]) -> None:
        if desk.fetcher is None:
            raise Refused("no_fetcher", "this worker has no fetcher")
        self.fetcher = desk.fetcher
        self.desk = desk
        self.looks = {job: Looks(desk, job) for job in jobs if job.task is Task.POLL}
        self.fetches = {job: Fetches(desk, job) for job in jobs if job.task is Task.FETCH}
        self.askers: dict[str, Looks | Fetches] = {asker.prefix: asker for asker in self.looks.values()}
        self.askers |= {asker.prefix: asker for asker in self.fetches.values()}
        self.pulse = Pulse(desk, Task.POLL, Task.FETCH)

    @property
    def waiting(self) -> int:
        return sum(asker.waiting for asker in self.askers.values())

    @property
    def uncommitted(self) -> int:
        return sum(len(asker.ended) for asker in self.askers.values())

    def step(self, wait: timedelta, *, claiming: bool = True) -> int:
        """One turn: claim, wait for answers at most so long, commit what ended; gives how many records that were.

        What an earlier turn could not commit (a full disk, a locked database) comes first: until it is down, nothing
        more is taken on, and what is held stays held.
        """
        if self.waiting or self.uncommitted:
            self.pulse.beat()
        ended = self._commit()
        if claiming:
            self._claim()
        for look in self.looks.values():
            look.ask_again()
        for token, answer in self.fetcher.collect(self.desk.patience.batch, wait) if self.waiting else ():
            self._hear(token, answer)
        return ended + self._commit()

    def _commit(self) -> int:
        return sum(asker.commit() for asker in self.askers.values())

    def _claim(self) -> None:
        for look in self.looks.values():
            if look.waiting < POLLS_AT_ONCE and (room := self.fetcher.room()) > 0:
                look.claim(min(room, POLLS_AT_ONCE - look.waiting))
        for fetch in self.fetches.values():
            if (room := self.fetcher.room()) > 0:
                fetch.claim(min(room, self.desk.patience.batch))

    def _hear(self, token: str, answer: Response | Failure) -> None:
        prefix, _, key = token.rpartition("/")
        self.askers[prefix].hear(key, answer)
