"""Everything that waits for the network, in one place: looks at sources and fetches of leads share one fetcher."""

from collections.abc import Sequence
from datetime import timedelta

from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.fetch import RecipeFetches
from headwater.engine.poll import RecipePolls
from headwater.model.errors import Refused
from headwater.model.http import Failure, Response
from headwater.model.jobs import Job, Task

POLLS_AT_ONCE = 50


class NetworkLoop:
    """Keeps the fetcher busy: claims while there is room, hands answers to whoever asked, commits in batches.

    Holds what is under way in memory only; if it dies, the leases run out and the rows are claimed again.
    """

    def __init__(self, context: JobContext, jobs: Sequence[Job]) -> None:
        if context.fetcher is None:
            raise Refused("no_fetcher", "this worker has no fetcher")
        self.fetcher = context.fetcher
        self.context = context
        self.polls = {job: RecipePolls(context, job) for job in jobs if job.task is Task.POLL}
        self.fetches = {job: RecipeFetches(context, job) for job in jobs if job.task is Task.FETCH}
        self.askers: dict[str, RecipePolls | RecipeFetches] = {
            asker.prefix: asker for asker in self.polls.values()
        }
        self.askers |= {asker.prefix: asker for asker in self.fetches.values()}
        self.lease_renewer = LeaseRenewer(context, Task.POLL, Task.FETCH)

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
            self.lease_renewer.renew_if_due()
        ended = self._commit()
        if claiming:
            self._claim()
        for poll in self.polls.values():
            poll.resubmit_due()
        for token, answer in (
            self.fetcher.collect(self.context.retry_policy.batch, wait) if self.waiting else ()
        ):
            self._handle_answer(token, answer)
        return ended + self._commit()

    def _commit(self) -> int:
        return sum(asker.commit() for asker in self.askers.values())

    def _claim(self) -> None:
        for poll in self.polls.values():
            if poll.waiting < POLLS_AT_ONCE and (room := self.fetcher.room()) > 0:
                poll.claim(min(room, POLLS_AT_ONCE - poll.waiting))
        for fetch in self.fetches.values():
            if (room := self.fetcher.room()) > 0:
                fetch.claim(min(room, self.context.retry_policy.batch))

    def _handle_answer(self, token: str, answer: Response | Failure) -> None:
        prefix, _, key = token.rpartition("/")
        self.askers[prefix].handle_answer(key, answer)
