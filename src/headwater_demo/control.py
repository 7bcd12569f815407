"""The host that controls the demo internet: clock, faults, request log, new articles, and the expected results."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from headwater_demo.article_truth import article_truths
from headwater_demo.faults import fault_from
from headwater_demo.feeds.catalogue import feeds
from headwater_demo.site import JSON, Site, SiteRequest, SiteResponse
from headwater_demo.world import World

CONTROL_HOST = "control.internet.example"

Action = Callable[[World, dict[str, Any]], Any]


def control_site(world: World, *, hosts: Sequence[str]) -> Site:
    def answer(request: SiteRequest) -> SiteResponse:
        if (request.method, request.path) == ("GET", "/hosts"):
            return _json_response(list(hosts))
        action = _ACTIONS.get((request.method, request.path))
        if action is None:
            return _json_response({"error": f"no control for {request.method} {request.path}"}, status=404)
        try:
            options = json.loads(request.body) if request.body else dict(request.query)
            return _json_response(action(world, options))
        except (ValueError, KeyError, TypeError) as error:
            return _json_response({"error": repr(error)}, status=400)

    return Site(CONTROL_HOST, answer)


def _json_response(value: Any, *, status: int = 200) -> SiteResponse:
    return SiteResponse(status=status, body=json.dumps(value).encode(), media_type=JSON, as_is=True)


def _log(world: World, options: dict[str, Any]) -> Any:
    return [record.as_dict() for record in world.log.since(int(options.get("since", 0)))]


def _clear_log(world: World, _options: dict[str, Any]) -> Any:
    world.log.clear()


def _push_fault(world: World, options: dict[str, Any]) -> Any:
    world.faults.push(
        options["host"], options["path"], fault_from(options["fault"]), times=int(options.get("times", 1))
    )
    return world.faults.left()


def _clear_faults(world: World, _options: dict[str, Any]) -> Any:
    world.faults.clear()


def _clock(world: World, options: dict[str, Any]) -> Any:
    if "set" in options:
        world.clock.set(datetime.fromisoformat(options["set"]))
    world.clock.advance(timedelta(seconds=float(options.get("advance", 0))))
    return world.clock.now().isoformat()


def _publish(world: World, options: dict[str, Any]) -> Any:
    article = world.newsroom.publish(now=world.clock.now(), **options)
    return next(item for item in article_truths(world) if item["id"] == article.id)


def _edit(world: World, options: dict[str, Any]) -> Any:
    article = world.newsroom.edit(now=world.clock.now(), **options)
    return next(item for item in article_truths(world) if item["id"] == article.id)


def _dispatch(world: World, options: dict[str, Any]) -> Any:
    dispatch = world.market.publish(now=world.clock.now(), **options)
    return {
        "id": dispatch.id,
        "url": dispatch.url,
        "title": dispatch.title,
        "tickers": list(dispatch.tickers),
    }


def _key(world: World, options: dict[str, Any]) -> Any:
    if options.get("revoked"):
        world.market.keys.revoke(options["key"])
    else:
        closed_paths = tuple(options.get("closed", ()))
        world.market.keys.add(
            options["key"], per_minute=int(options.get("per_minute", 0)), closed=closed_paths
        )


def _burst(world: World, options: dict[str, Any]) -> Any:
    world.market.burst = options["burst"]


def _truth(world: World, _options: dict[str, Any]) -> Any:
    return article_truths(world)


def _feeds(world: World, _options: dict[str, Any]) -> Any:
    return feeds(world.size)


_ACTIONS: dict[tuple[str, str], Action] = {
    ("GET", "/log"): _log,
    ("DELETE", "/log"): _clear_log,
    ("POST", "/faults"): _push_fault,
    ("DELETE", "/faults"): _clear_faults,
    ("GET", "/clock"): _clock,
    ("POST", "/clock"): _clock,
    ("POST", "/articles"): _publish,
    ("POST", "/edits"): _edit,
    ("POST", "/dispatches"): _dispatch,
    ("POST", "/keys"): _key,
    ("POST", "/burst"): _burst,
    ("GET", "/truth"): _truth,
    ("GET", "/feeds"): _feeds,
}
