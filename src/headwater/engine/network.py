"""The network loop: polls of sources and fetches of leads share one fetcher."""

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
    """Keeps the fetcher busy: claims while there is room, passes answers to the poll or fetch that asked, commits in batches.

    What is running is held in memory only: if the process dies, the leases run out and the rows are claimed again.
    """

    def __init__(self, context: JobContext, jobs: Sequence[Job]) -> None:
        if context.fetcher is None:
            raise Refused("no_fetcher", "this worker has no fetcher")
        self.fetcher = context.fetcher
        self.context = context
        self.polls = {job: RecipePolls(context, job) for job in jobs if job.task is Task.POLL}
        self.fetches = {job: RecipeFetches(context, job) for job in jobs if job.task is Task.FETCH}
        requesters: list[RecipePolls | RecipeFetches] = [*self.polls.values(), *self.fetches.values()]
        self.by_prefix = {requester.prefix: requester for requester in requesters}
        self.lease_renewer = LeaseRenewer(context, Task.POLL, Task.FETCH)

    @property
    def waiting_count(self) -> int:
        return sum(requester.waiting_count for requester in self.by_prefix.values())

    @property
    def uncommitted_count(self) -> int:
        return sum(len(requester.results) for requester in self.by_prefix.values())

    def step(self, wait: timedelta, *, claiming: bool = True) -> int:
        """Claims, waits for answers at most `wait`, and commits what ended; returns the number of committed records.

        What an earlier step could not commit (a full disk, a locked database) comes first: until it is committed, nothing
        more is claimed, and all leases stay.
        """
        if self.waiting_count or self.uncommitted_count:
            self.lease_renewer.renew_if_due()
        committed = self._commit()
        if claiming:
            self._claim()
        for polls in self.polls.values():
            polls.resubmit_due()
        if self.waiting_count:
            for token, answer in self.fetcher.collect(self.context.retry_policy.batch, wait):
                self._handle_answer(token, answer)
        return committed + self._commit()

    def _commit(self) -> int:
        return sum(requester.commit() for requester in self.by_prefix.values())

    def _claim(self) -> None:
        for polls in self.polls.values():
            if polls.waiting_count < POLLS_AT_ONCE and (room := self.fetcher.room()) > 0:
                polls.claim(min(room, POLLS_AT_ONCE - polls.waiting_count))
        for fetches in self.fetches.values():
            if (room := self.fetcher.room()) > 0:
                fetches.claim(min(room, self.context.retry_policy.batch))

    def _handle_answer(self, token: str, answer: Response | Failure) -> None:
        prefix, _, key = token.rpartition("/")
        self.by_prefix[prefix].handle_answer(key, answer)
