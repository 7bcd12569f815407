"""The outbox: send what is due, route by route, and note what arrived."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial

from headwater.engine.alone import commit_apart, divide, explain
from headwater.engine.desk import Desk
from headwater.engine.pulse import Pulse
from headwater.model.errors import Permanent, Temporary
from headwater.model.outcome import Drop
from headwater.model.recipe import Parcel, Recipe, Sink
from headwater.model.work import Delivered, Errand, Job, Later, Quarantined, Task

SLICE = 25
QUICK = timedelta(seconds=5)


def deliver(desk: Desk, job: Job) -> int:
    """Send the due deliveries of a recipe; gives how many. At least once; the key is the same for every try."""
    recipe = desk.recipe(job)
    errands, rest = desk.one_suspect(desk.store.claim_deliveries(desk.claim(job)))
    if rest:
        back = [Delivered(id=e.id, revision=e.revision, later=desk.its_turn_comes()) for e in rest]
        desk.store.finish_deliver(back, desk.owner, desk.clock())
    by_route: dict[str, list[Errand]] = defaultdict(list)
    for errand in errands:
        by_route[errand.route].append(errand)
    pulse = Pulse(desk, Task.DELIVER)
    for route, batch in by_route.items():
        for some in _slices(desk, batch):
            pulse.beat()
            results = divide(partial(_send, desk, recipe, route), some, partial(_failed, desk, recipe))
            commit_apart(
                lambda part: desk.store.finish_deliver(part, desk.owner, desk.clock()), results, _unfit
            )
    return len(errands)


def _slices(desk: Desk, batch: Sequence[Errand]) -> Iterator[Sequence[Errand]]:
    """A few first, more while they go quickly: what a slow receiver has is noted before its lease has run out."""
    start, size = 0, SLICE
    while start < len(batch):
        begun = desk.clock()
        yield batch[start : start + size]
        start += size
        if desk.clock() - begun < QUICK:
            size *= 4


def _unfit(delivered: Delivered, error: Exception) -> Delivered:
    """Sent, perhaps, but with an answer that cannot be stored."""
    reason, detail = explain(error)
    apart = Quarantined(reason=reason, detail=detail)
    return Delivered(id=delivered.id, revision=delivered.revision, quarantined=apart)


def _sink(desk: Desk, recipe: Recipe, route: str) -> Sink:
    names = {channel: channel for channel in desk.channels} | {r.name: r.sink for r in recipe.routes}
    sinks = desk.sinks or {}
    if route not in names:
        raise Permanent("unknown_route", f"the recipe has no route '{route}' any more")
    if names[route] not in sinks:
        raise Temporary("unknown_sink", f"no sink '{names[route]}' is configured")
    return sinks[names[route]]


def _send(desk: Desk, recipe: Recipe, route: str, errands: Sequence[Errand]) -> Sequence[Delivered]:
    for errand in errands:
        desk.refuse_deadly(errand.attempts)
    ready = [(errand, errand.record) for errand in errands if errand.record is not None]
    parcels = [
        Parcel(key=f"{errand.id}-{errand.revision}", route=route, record=record, revision=errand.revision)
        for errand, record in ready
    ]
    sent = _sink(desk, recipe, route).send(parcels) if parcels else ()
    answers = {errand.id: answer for (errand, _), answer in zip(ready, sent, strict=True)}
    results = []
    for errand in errands:
        answer = answers.get(errand.id, Drop("withdrawn"))
        if isinstance(answer, Drop):
            results.append(Delivered(id=errand.id, revision=errand.revision, dropped=answer.reason))
        else:
            results.append(Delivered(id=errand.id, revision=errand.revision, receipt=answer.receipt))
    return results


def _failed(desk: Desk, recipe: Recipe, errand: Errand, error: Exception) -> Delivered:
    verdict = desk.judge(error, errand.attempts)
    log = desk.log.bind(recipe=recipe.name, job="deliver", key=errand.id)
    log.warning("not delivered", reason=verdict.reason, detail=verdict.detail)
    if isinstance(verdict, Later):
        return Delivered(id=errand.id, revision=errand.revision, later=verdict)
    return Delivered(id=errand.id, revision=errand.revision, quarantined=verdict)
