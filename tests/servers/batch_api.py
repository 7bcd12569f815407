"""A small server on the loopback that speaks the OpenAI Batch API, and the chat API beside it, well or badly as it is
told. Batches go one status further each time somebody looks at them."""

import asyncio
import json
import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

WAY = ("validating", "in_progress", "finalizing", "completed")
ENDS = frozenset({"completed", "failed", "expired", "cancelled"})
CODES = {401: "invalid_api_key", 404: "not_found", 429: "rate_limit_exceeded", 500: "server_error"}


@dataclass
class ApiFaults:
    """Once, for the next request that fits: an HTTP status, or silence before or after the work is done,
    or a connection that breaks after it; `first` happens just before."""

    fits: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: str = ""
    broken: bool = False
    first: Callable[[], None] = lambda: None


def summary_of(asked: Mapping[str, Any]) -> str:
    """A summary as a good model writes it: two sentences from each article, with its number."""
    told = json.loads(asked["messages"][1]["content"])
    sentences = [
        {"text": f"{words} {article['title'] or article['text'][:80]}.", "sources": [article["number"]]}
        for article in told["articles"]
        for words in ("It is reported:", "As was said:")
    ]
    return json.dumps({"sentences": sentences[:8]})


@dataclass
class BatchServer:
    """`answer` says what the model says to a request body; `line` may end a line of a batch otherwise: an HTTP status, or
    a code such as batch_expired. `batch_error` is the code with which batches fail that are made from now on."""

    answer: Callable[[Mapping[str, Any]], str] = summary_of
    line: Callable[[str], int | str] = lambda _: 200
    way: tuple[str, ...] = WAY
    batch_error: str = ""
    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    chats: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    troubles: list[ApiFaults] = field(default_factory=list)
    silent: threading.Event = field(default_factory=threading.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Everything that was paid for in batches."""
        return [one for b in self.batches.values() if b["status"] != "failed" for one in self._lines(b)]

    def posts(self, path: str) -> int:
        return sum(method == "POST" and found == path for method, found in self.requests)

    def finish(self, name: str) -> None:
        self._end(self.batches[name], "completed")

    async def handle(self, request: web.Request) -> web.Response:
        path = request.path.removeprefix("/v1")
        self.requests.append((request.method, path))
        self.keys.add(request.headers.get("Authorization"))
        trouble = next((t for t in self.troubles if re.fullmatch(t.fits, f"{request.method} {path}")), None)
        if trouble is None:
            return await self._answered(request, path)
        self.troubles.remove(trouble)
        trouble.first()
        if trouble.status:
            return _error(trouble.status, trouble.headers)
        if not trouble.silent:
            done = await self._answered(request, path)
            if trouble.broken and request.transport is not None:
                request.transport.abort()
            return done
        done = await self._answered(request, path) if trouble.silent == "after" else None
        self.silent.set()
        await self.closing.wait()
        return done or _error(500)

    async def _answered(self, request: web.Request, path: str) -> web.Response:
        kind, _, rest = path.strip("/").partition("/")
        if kind == "chat":
            asked = await request.json()
            self.chats.append(asked)
            return web.json_response(completion(asked, self.answer(asked)))
        if kind == "files" and request.method == "POST":
            return await self._upload(request)
        if kind == "files":
            content = self.files.get(rest.removesuffix("/content"))
            return _error(404) if content is None else web.Response(body=content)
        if kind == "batches" and not rest:
            return await (self._create(request) if request.method == "POST" else self._listed(request))
        name, _, verb = rest.partition("/")
        if name not in self.batches:
            return _error(404)
        if verb == "cancel" and self.batches[name]["status"] in ENDS:
            return _error(409)
        self._step(self.batches[name], cancel=verb == "cancel")
        return web.json_response(self.batches[name])

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        sent = form["file"]
        assert isinstance(sent, web.FileField)
        assert form["purpose"] == "batch"
        name = f"file-in{len(self.files)}"
        self.files[name] = sent.file.read()
        return web.json_response(
            {"id": name, "object": "file", "filename": sent.filename, "purpose": "batch"}
        )

    async def _create(self, request: web.Request) -> web.Response:
        wish = await request.json()
        if wish["input_file_id"] not in self.files:
            return _error(400)
        assert wish["completion_window"] == "24h"
        name = f"batch_{len(self.batches)}"
        made = {
            "id": name,
            "object": "batch",
            "status": self.way[0],
            "created_at": 1794556400 + len(self.batches),
        }
        made |= {"endpoint": wish["endpoint"], "input_file_id": wish["input_file_id"], "errors": None}
        made |= {"output_file_id": None, "error_file_id": None, "metadata": wish.get("metadata"), "at": 0}
        self.batches[name] = made
        faults = self._faults(made)
        if faults:
            made |= {"fault": {"object": "list", "data": faults}}
        return web.json_response(made)

    async def _listed(self, request: web.Request) -> web.Response:
        limit, after = int(request.query.get("limit", 20)), request.query.get("after")
        names = list(reversed(self.batches))
        start = names.index(after) + 1 if after else 0
        page = names[start : start + limit]
        data = [self.batches[name] for name in page]
        more = start + limit < len(names)
        ends = {"first_id": page[0] if page else None, "last_id": page[-1] if page else None}
        return web.json_response({"object": "list", "data": data, "has_more": more, **ends})

    def _lines(self, batch: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [json.loads(one) for one in self.files[batch["input_file_id"]].splitlines()]

    def _faults(self, batch: Mapping[str, Any]) -> list[dict[str, Any]]:
        raw = self.files[batch["input_file_id"]].splitlines()
        if self.batch_error or not raw:
            return [{"code": self.batch_error or "empty_file", "line": None, "message": "", "param": None}]
        faults, seen, models = [], set(), set()
        for number, one in enumerate(raw, 1):
            said = json.loads(one)
            models.add(said["body"]["model"])
            checks = {
                "duplicate_custom_id": said["custom_id"] in seen,
                "url_mismatch": said["url"] != batch["endpoint"],
                "model_mismatch": len(models) > 1,
                "invalid_custom_id": self.line(said["custom_id"]) == "invalid_custom_id",
            }
            seen.add(said["custom_id"])
            faults += [
                {"code": code, "line": number, "message": "", "param": None}
                for code, bad in checks.items()
                if bad
            ]
        return faults

    def _step(self, batch: dict[str, Any], *, cancel: bool) -> None:
        if batch["status"] in ENDS:
            return
        if cancel:
            batch["status"] = "cancelling"
        elif batch["status"] == "cancelling":
            self._end(batch, "cancelled")
        elif batch.get("fault"):
            batch |= {"status": "failed", "errors": batch["fault"]}
        else:
            batch["at"] += 1
            following = self.way[min(batch["at"], len(self.way) - 1)]
            if following in {"completed", "expired"}:
                self._end(batch, following)
            else:
                batch["status"] = following

    def _end(self, batch: dict[str, Any], status: str) -> None:
        good, bad = [], []
        for number, asked in enumerate(self._lines(batch)):
            fate = self.line(asked["custom_id"])
            told = {
                "id": f"batch_req_{number}",
                "custom_id": asked["custom_id"],
                "response": None,
                "error": None,
            }
            if fate == 200:
                body = completion(asked["body"], self.answer(asked["body"]))
                good.append(told | {"response": {"status_code": 200, "request_id": "r", "body": body}})
            elif isinstance(fate, int):
                error = {"error": {"message": "…", "type": "e", "code": CODES.get(fate, "bad")}}
                bad.append(told | {"response": {"status_code": fate, "request_id": "r", "body": error}})
            else:
                bad.append(told | {"error": {"code": fate, "message": "…"}})
        random.Random(1).shuffle(good)
        counts = {"total": len(good) + len(bad), "completed": len(good), "failed": len(bad)}
        batch |= {"status": status, "request_counts": counts}
        for kind, lines in (("output", good), ("error", bad)):
            if lines:
                name = f"file-{kind}-{batch['id']}"
                self.files[name] = b"".join(json.dumps(one).encode() + b"\n" for one in lines)
                batch[f"{kind}_file_id"] = name


def completion(asked: Mapping[str, Any], said: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": said, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 812, "completion_tokens": 140, "total_tokens": 952}
    return {
        "id": "c",
        "object": "chat.completion",
        "model": asked["model"],
        "choices": [choice],
        "usage": usage,
    }


def _error(status: int, headers: Mapping[str, str] | None = None) -> web.Response:
    told = {"error": {"message": "…", "type": "e", "param": None, "code": CODES.get(status, "bad")}}
    return web.json_response(told, status=status, headers=headers)


@contextmanager
def batch_server(**told: Any) -> Iterator[BatchServer]:
    """In a thread of its own, for those who have a loop of their own, or are another process."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = BatchServer(**told)
    site = web.Application(client_max_size=64 * 1024 * 1024)
    site.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=0)

    async def start() -> None:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.address = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"

    async def stop() -> None:
        server.closing.set()
        await runner.cleanup()

    try:
        asyncio.run_coroutine_threadsafe(start(), loop).result(15)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(15)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
