"""The outbox: send what is due, route by route, and note what arrived."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial

from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.model.errors import Permanent, Temporary
from headwater.model.jobs import Delivery, DeliveryResult, Job, Postponement, Quarantine, Task
from headwater.model.outcomes import Drop
from headwater.model.recipe import Envelope, Recipe, Sink

FIRST_SLICE = 25
QUICK_SEND = timedelta(seconds=5)


def deliver(context: JobContext, job: Job) -> int:
    """Send the due deliveries of a recipe; gives how many. At least once; the key is the same for every try."""
    recipe = context.recipe(job)
    deliveries, rest = context.split_suspects(context.store.claim_deliveries(context.claim(job)))
    if rest:
        back = [DeliveryResult(id=e.id, revision=e.revision, later=context.postpone()) for e in rest]
        context.store.finish_deliver(back, context.owner, context.clock())
    by_route: dict[str, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        by_route[delivery.route].append(delivery)
    lease_renewer = LeaseRenewer(context, Task.DELIVER)
    for route, batch in by_route.items():
        for some in _slices(context, batch):
            lease_renewer.renew_if_due()
            results = bisect_batch(
                partial(_send, context, recipe, route), some, partial(_failed, context, recipe)
            )
            bisect_commit(
                lambda part: context.store.finish_deliver(part, context.owner, context.clock()),
                results,
                _unfit,
            )
    return len(deliveries)


def _slices(context: JobContext, batch: Sequence[Delivery]) -> Iterator[Sequence[Delivery]]:
    """A few first, more while they go quickly: what a slow receiver has is noted before its lease has run out."""
    start, size = 0, FIRST_SLICE
    while start < len(batch):
        begun = context.clock()
        yield batch[start : start + size]
        start += size
        if context.clock() - begun < QUICK_SEND:
            size *= 4


def _unfit(delivered: DeliveryResult, error: Exception) -> DeliveryResult:
    """Sent, perhaps, but with an answer that cannot be stored."""
    reason, detail = error_reason(error)
    apart = Quarantine(reason=reason, detail=detail)
    return DeliveryResult(id=delivered.id, revision=delivered.revision, quarantined=apart)


def _sink(context: JobContext, recipe: Recipe, route: str) -> Sink:
    names = {channel: channel for channel in context.channels} | {r.name: r.sink for r in recipe.routes}
    sinks = context.sinks or {}
    if route not in names:
        raise Permanent("unknown_route", f"the recipe has no route '{route}' any more")
    if names[route] not in sinks:
        raise Temporary("unknown_sink", f"no sink '{names[route]}' is configured")
    return sinks[names[route]]


def _send(
    context: JobContext, recipe: Recipe, route: str, deliveries: Sequence[Delivery]
) -> Sequence[DeliveryResult]:
    for delivery in deliveries:
        context.check_worker_deaths(delivery.attempts)
    ready = [(delivery, delivery.record) for delivery in deliveries if delivery.record is not None]
    envelopes = [
        Envelope(
            key=f"{delivery.id}-{delivery.revision}", route=route, record=record, revision=delivery.revision
        )
        for delivery, record in ready
    ]
    sent = _sink(context, recipe, route).send(envelopes) if envelopes else ()
    answers = {delivery.id: answer for (delivery, _), answer in zip(ready, sent, strict=True)}
    results = []
    for delivery in deliveries:
        answer = answers.get(delivery.id, Drop("withdrawn"))
        if isinstance(answer, Drop):
            results.append(DeliveryResult(id=delivery.id, revision=delivery.revision, dropped=answer.reason))
        else:
            results.append(DeliveryResult(id=delivery.id, revision=delivery.revision, receipt=answer.receipt))
    return results


def _failed(context: JobContext, recipe: Recipe, delivery: Delivery, error: Exception) -> DeliveryResult:
    verdict = context.handle_failure(error, delivery.attempts)
    log = context.log.bind(recipe=recipe.name, job="deliver", key=delivery.id)
    log.warning("not delivered", reason=verdict.reason, detail=verdict.detail)
    if isinstance(verdict, Postponement):
        return DeliveryResult(id=delivery.id, revision=delivery.revision, later=verdict)
    return DeliveryResult(id=delivery.id, revision=delivery.revision, quarantined=verdict)
