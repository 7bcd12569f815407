"""A small server on the loopback that speaks the OpenAI Batch API and the chat API, correctly or with faults as a test
wants. A batch advances by one status each time it is requested."""

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

STATUSES = ("validating", "in_progress", "finalizing", "completed")
ENDS = frozenset({"completed", "failed", "expired", "cancelled"})
CODES = {401: "invalid_api_key", 404: "not_found", 429: "rate_limit_exceeded", 500: "server_error"}


@dataclass
class ApiFaults:
    """A fault for the next request that matches `fits`: an HTTP status, or silence before or after the work is done,
    or a connection that breaks after it; `first` is called just before."""

    fits: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: str = ""
    broken: bool = False
    first: Callable[[], None] = lambda: None


def summary_of(body: Mapping[str, Any]) -> str:
    """A summary as a good model writes it: two sentences from each article, with its number."""
    prompt = json.loads(body["messages"][1]["content"])
    sentences = [
        {"text": f"{words} {article['title'] or article['text'][:80]}.", "sources": [article["number"]]}
        for article in prompt["articles"]
        for words in ("It is reported:", "As was said:")
    ]
    return json.dumps({"sentences": sentences[:8]})


@dataclass
class BatchServer:
    """`answer` returns what the model says to a request body; `line` may end a line of a batch with an HTTP status or a
    code such as batch_expired. `batch_error` is the code with which batches fail that are created from now on."""

    answer: Callable[[Mapping[str, Any]], str] = summary_of
    line: Callable[[str], int | str] = lambda _: 200
    statuses: tuple[str, ...] = STATUSES
    batch_error: str = ""
    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    chats: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    faults: list[ApiFaults] = field(default_factory=list)
    silent: threading.Event = field(default_factory=threading.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Everything that was paid for in batches."""
        return [line for b in self.batches.values() if b["status"] != "failed" for line in self._lines(b)]

    def posts(self, path: str) -> int:
        return sum(method == "POST" and requested == path for method, requested in self.requests)

    def finish(self, name: str) -> None:
        self._end(self.batches[name], "completed")

    async def handle(self, request: web.Request) -> web.Response:
        path = request.path.removeprefix("/v1")
        self.requests.append((request.method, path))
        self.keys.add(request.headers.get("Authorization"))
        fault = next((t for t in self.faults if re.fullmatch(t.fits, f"{request.method} {path}")), None)
        if fault is None:
            return await self._answered(request, path)
        self.faults.remove(fault)
        fault.first()
        if fault.status:
            return _error(fault.status, fault.headers)
        if not fault.silent:
            response = await self._answered(request, path)
            if fault.broken and request.transport is not None:
                request.transport.abort()
            return response
        response = await self._answered(request, path) if fault.silent == "after" else None
        self.silent.set()
        await self.closing.wait()
        return response or _error(500)

    async def _answered(self, request: web.Request, path: str) -> web.Response:
        kind, _, name_and_action = path.strip("/").partition("/")
        if kind == "chat":
            body = await request.json()
            self.chats.append(body)
            return web.json_response(completion(body, self.answer(body)))
        if kind == "files" and request.method == "POST":
            return await self._upload(request)
        if kind == "files":
            content = self.files.get(name_and_action.removesuffix("/content"))
            return _error(404) if content is None else web.Response(body=content)
        if kind == "batches" and not name_and_action:
            return await (self._create(request) if request.method == "POST" else self._listed(request))
        name, _, action = name_and_action.partition("/")
        if name not in self.batches:
            return _error(404)
        if action == "cancel" and self.batches[name]["status"] in ENDS:
            return _error(409)
        self._step(self.batches[name], cancel=action == "cancel")
        return web.json_response(self.batches[name])

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        upload = form["file"]
        assert isinstance(upload, web.FileField)
        assert form["purpose"] == "batch"
        name = f"file-in{len(self.files)}"
        self.files[name] = upload.file.read()
        return web.json_response(
            {"id": name, "object": "file", "filename": upload.filename, "purpose": "batch"}
        )

    async def _create(self, request: web.Request) -> web.Response:
        order = await request.json()
        if order["input_file_id"] not in self.files:
            return _error(400)
        assert order["completion_window"] == "24h"
        name = f"batch_{len(self.batches)}"
        batch = {
            "id": name,
            "object": "batch",
            "status": self.statuses[0],
            "created_at": 1794556400 + len(self.batches),
        }
        batch |= {"endpoint": order["endpoint"], "input_file_id": order["input_file_id"], "errors": None}
        batch |= {"output_file_id": None, "error_file_id": None, "metadata": order.get("metadata"), "at": 0}
        self.batches[name] = batch
        faults = self._faults(batch)
        if faults:
            batch |= {"fault": {"object": "list", "data": faults}}
        return web.json_response(batch)

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
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    def _faults(self, batch: Mapping[str, Any]) -> list[dict[str, Any]]:
        raw = self.files[batch["input_file_id"]].splitlines()
        if self.batch_error or not raw:
            return [{"code": self.batch_error or "empty_file", "line": None, "message": "", "param": None}]
        faults, seen_ids, models = [], set(), set()
        for number, line in enumerate(raw, 1):
            request = json.loads(line)
            models.add(request["body"]["model"])
            checks = {
                "duplicate_custom_id": request["custom_id"] in seen_ids,
                "url_mismatch": request["url"] != batch["endpoint"],
                "model_mismatch": len(models) > 1,
                "invalid_custom_id": self.line(request["custom_id"]) == "invalid_custom_id",
            }
            seen_ids.add(request["custom_id"])
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
            following = self.statuses[min(batch["at"], len(self.statuses) - 1)]
            if following in {"completed", "expired"}:
                self._end(batch, following)
            else:
                batch["status"] = following

    def _end(self, batch: dict[str, Any], status: str) -> None:
        completed, failed = [], []
        for number, request in enumerate(self._lines(batch)):
            line_end = self.line(request["custom_id"])
            line = {
                "id": f"batch_req_{number}",
                "custom_id": request["custom_id"],
                "response": None,
                "error": None,
            }
            if line_end == 200:
                body = completion(request["body"], self.answer(request["body"]))
                completed.append(line | {"response": {"status_code": 200, "request_id": "r", "body": body}})
            elif isinstance(line_end, int):
                error = {"error": {"message": "…", "type": "e", "code": CODES.get(line_end, "bad")}}
                failed.append(
                    line | {"response": {"status_code": line_end, "request_id": "r", "body": error}}
                )
            else:
                failed.append(line | {"error": {"code": line_end, "message": "…"}})
        random.Random(1).shuffle(completed)
        counts = {"total": len(completed) + len(failed), "completed": len(completed), "failed": len(failed)}
        batch |= {"status": status, "request_counts": counts}
        for kind, lines in (("output", completed), ("error", failed)):
            if lines:
                name = f"file-{kind}-{batch['id']}"
                self.files[name] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
                batch[f"{kind}_file_id"] = name


def completion(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 812, "completion_tokens": 140, "total_tokens": 952}
    return {
        "id": "c",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [choice],
        "usage": usage,
    }


def _error(status: int, headers: Mapping[str, str] | None = None) -> web.Response:
    error = {"error": {"message": "…", "type": "e", "param": None, "code": CODES.get(status, "bad")}}
    return web.json_response(error, status=status, headers=headers)


@contextmanager
def batch_server(**options: Any) -> Iterator[BatchServer]:
    """Runs in a separate thread, for tests that have their own event loop or call it from another process."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = BatchServer(**options)
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
