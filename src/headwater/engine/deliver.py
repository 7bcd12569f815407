"""The outbox: send what is due, route by route, and record what arrived."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.model.errors import Permanent, Temporary
from headwater.model.jobs import Delivery, DeliveryResult, Job, Postponement, Quarantine, Task
from headwater.model.outcomes import Drop, PartlySent, Sent
from headwater.model.recipe import Envelope, Recipe, Sink, own_sink_name
from headwater.model.saved_search import NOT_SENT, QUEUE_CHANNEL, SEARCH_ROUTE

FIRST_SLICE = 25
QUICK_SEND = timedelta(seconds=5)
DELETED_CHANNEL_DELAY = timedelta(minutes=5)


def deliver(context: JobContext, job: Job) -> int:
    """Sends the due deliveries of a recipe and returns how many. At least once; every attempt has the same key."""
    recipe = context.recipe(job)
    deliveries, released = context.split_suspects(context.store.claim_deliveries(context.claim(job)))
    if released:
        results = [DeliveryResult(id=d.id, revision=d.revision, later=context.postpone()) for d in released]
        context.store.finish_deliver(results, context.owner, context.clock())
    by_route: dict[str, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        by_route[delivery.route].append(delivery)
    lease_renewer = LeaseRenewer(context, Task.DELIVER)
    for route, batch in by_route.items():
        for part in _slices(context, batch):
            lease_renewer.renew_if_due()
            results = bisect_batch(
                partial(_send, context, recipe, route), part, partial(_failure, context, recipe)
            )
            bisect_commit(
                lambda batch: context.store.finish_deliver(batch, context.owner, context.clock()),
                results,
                _replace_unstorable,
            )
    return len(deliveries)


def _slices(context: JobContext, batch: Sequence[Delivery]) -> Iterator[Sequence[Delivery]]:
    """A few first, more while they are quick: what a slow receiver got is committed before its lease has run out."""
    start, size = 0, FIRST_SLICE
    while start < len(batch):
        started_at = context.clock()
        yield batch[start : start + size]
        start += size
        if context.clock() - started_at < QUICK_SEND:
            size *= 4


def _replace_unstorable(result: DeliveryResult, error: Exception) -> DeliveryResult:
    """It may have been sent, but its receipt cannot be stored."""
    reason, detail = error_reason(error)
    quarantine = Quarantine(reason=reason, detail=detail)
    return DeliveryResult(id=result.id, revision=result.revision, quarantine=quarantine)


def _sink(context: JobContext, recipe: Recipe, route: str) -> Sink:
    sinks = context.sinks or {}
    if route.startswith(SEARCH_ROUTE):
        return _search_sink(context, sinks, route.removeprefix(SEARCH_ROUTE))
    names = {channel: channel for channel in context.channels} | {r.name: r.sink for r in recipe.routes}
    if route not in names:
        raise Permanent("unknown_route", f"the recipe no longer has a route '{route}'")
    sink = sinks.get(own_sink_name(recipe.name, names[route])) or sinks.get(names[route])
    if sink is None:
        raise Temporary("unknown_sink", f"no sink '{names[route]}' is configured")
    return sink


def _search_sink(context: JobContext, sinks: Mapping[str, Sink], name: str) -> Sink:
    """The channel of a saved search. One that was deleted may come back, so its deliveries wait."""
    search = context.store.saved_search(name)
    if search is None or not search.channel:
        return DropDeliveries("search_removed" if search is None else NOT_SENT)
    if search.channel not in (*context.channels, QUEUE_CHANNEL) or search.channel not in sinks:
        raise Temporary(
            "channel_deleted",
            f"the setting notify has no channel '{search.channel}'; add it, or remove the saved search '{name}'",
            delay=DELETED_CHANNEL_DELAY,
            counts=False,
        )
    return sinks[search.channel]


@dataclass(frozen=True)
class DropDeliveries:
    """The sink of a saved search that was removed or is no longer sent: nobody waits for its matches."""

    reason: str

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Drop]:
        return [Drop(self.reason)] * len(envelopes)


def _send(
    context: JobContext, recipe: Recipe, route: str, deliveries: Sequence[Delivery]
) -> Sequence[DeliveryResult]:
    for delivery in deliveries:
        context.check_worker_deaths(delivery.attempts)
    ready = [(delivery, delivery.record) for delivery in deliveries if delivery.record is not None]
    envelopes = [
        Envelope(
            key=f"{delivery.id}-{delivery.revision}",
            route=route,
            record=record,
            revision=delivery.revision,
            progress=delivery.progress,
        )
        for delivery, record in ready
    ]
    answers = _sink(context, recipe, route).send(envelopes) if envelopes else ()
    by_id = {delivery.id: answer for (delivery, _), answer in zip(ready, answers, strict=True)}
    log = context.log.bind(recipe=recipe.name, job="deliver")
    for delivery_id, answer in by_id.items():
        log.info("answered", key=delivery_id, route=route, answer=type(answer).__name__.lower())
    return [_result(context, delivery, by_id.get(delivery.id, Drop("withdrawn"))) for delivery in deliveries]


def _result(context: JobContext, delivery: Delivery, answer: Sent | PartlySent | Drop) -> DeliveryResult:
    if isinstance(answer, Drop):
        return DeliveryResult(id=delivery.id, revision=delivery.revision, drop_reason=answer.reason)
    if isinstance(answer, Sent):
        return DeliveryResult(id=delivery.id, revision=delivery.revision, receipt=answer.receipt)
    log = context.log.bind(job="deliver", key=delivery.id, route=delivery.route)
    log.warning("partly delivered", reason=answer.reason, detail=answer.detail)
    at = context.clock() + answer.delay
    later = Postponement(at=at, reason=answer.reason, detail=answer.detail, counts=False)
    return DeliveryResult(id=delivery.id, revision=delivery.revision, later=later, progress=answer.progress)


def _failure(context: JobContext, recipe: Recipe, delivery: Delivery, error: Exception) -> DeliveryResult:
    consequence = context.handle_failure(error, delivery.attempts)
    log = context.log.bind(recipe=recipe.name, job="deliver", key=delivery.id)
    log.warning("not delivered", reason=consequence.reason, detail=consequence.detail)
    if isinstance(consequence, Postponement):
        return DeliveryResult(id=delivery.id, revision=delivery.revision, later=consequence)
    return DeliveryResult(id=delivery.id, revision=delivery.revision, quarantine=consequence)
