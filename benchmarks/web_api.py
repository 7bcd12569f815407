"""Lists of the HTTP API and the web pages at a million documents, a document that is asked for again and again, and memory.

    python -m benchmarks.web_api sqlite|postgresql [DOCUMENTS [REQUESTS]]

The rows are written by one statement; requests go through the whole application in this process, without a socket. Beside
each list stands the time of a bare SELECT of the same rows. Searches differ from request to request (benchmarks.web_search). The
last part uses a real server on the loopback: how many requests for a cached document it answers, and the memory over REQUESTS
requests for each of a cached document, a list, a search and a feed.
"""

import asyncio
import re
import resource
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import httpx2
from tests.servers.postgres import running_postgres
from tests.support.web_client import client_of, refuse_runs

from benchmarks.stopwatch import Stopwatch, p95
from benchmarks.web_search import fill_search, measure_search, search_texts
from headwater.app import App
from headwater.model.keys import source_key
from headwater.model.source import Source
from headwater.runtime.garbage_collector import freeze_loaded_objects
from headwater.settings.settings import Settings
from headwater.web.server import listen_on
from headwater.web.serving import make_context, run_server

ROUNDS = 30
RECIPE = "news"
SOURCE = source_key(RECIPE, "feed", "https://wire.example/feed", "Wire")
STATES = "CASE WHEN n % 50 = 0 THEN 'quarantined' WHEN n % 7 = 0 THEN 'duplicate' ELSE 'kept' END"
LANGUAGES = "CASE WHEN n % 1000 = 0 THEN 'eu' WHEN n % 5 = 0 THEN 'es' ELSE 'en' END"
LISTS = (
    "/documents?limit=50",
    "/documents?limit=50&cursor=MIDDLE",
    "/documents?state=quarantined&limit=50",
    "/documents?language=eu&limit=50",
    "/documents?sort=published&limit=50",
    f"/documents?source={SOURCE}&limit=50",
    "/documents.csv?limit=50",
    "/documents.atom?limit=50",
    "/captures?limit=50",
    "/documents?sort=updated&direction=asc&limit=50",
    "/stories?limit=50",
    "/stories?sort=heat&limit=50",
    "/stories?sort=size&direction=asc&limit=50",
    "/stories?sort=first&limit=50",
    "/quarantine?limit=50",
    "/quarantine?direction=asc&limit=50",
    "/quarantine?sort=reason&limit=50",
    "/quarantine?reason=no_text&limit=50",
    "/runs?sort=failed&limit=50",
    "/sources?limit=50",
    "/sources/health",
    "/searches",
    "/alarms?limit=50",
)
PAGES = (
    "/",
    "/stories?recipe=news",
    "/stories?sort=heat",
    "/stories?country=RO",
    "/stories/STORY",
    "/documents",
    "/documents?state=quarantined&sort=published&direction=asc",
    "/documents/DOCUMENT",
    "/map",
    "/operate",
    "/operate/sources",
    f"/operate/sources/{SOURCE}",
    "/operate/alarms",
    "/operate/quarantine",
    "/operate/quarantine?sort=reason",
    "/operate/missing?q=harbour",
    "/operate/runs",
    "/operate/replays",
    "/operate/fetches",
    "/operate/budgets",
    "/operate/searches",
)


CONTENT_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
MEMORY_REQUESTS = {
    "list of documents": ["/documents?limit=10", "/stories?limit=10", "/quarantine?limit=10"],
    "search with facets": [f"/search?q={text}&method=words&facet=language" for text in search_texts(200)],
    "feed": ["/documents.atom?limit=10", "/stories.rss?limit=10", "/quarantine.jsonfeed?limit=10"],
}


def fill(app: App, count: int) -> None:
    app.store.register(
        [Source(id=SOURCE, recipe=RECIPE, kind="feed", name="Wire", url="https://wire.example/feed")],
        app.clock(),
    )
    engine = app.store.engine
    if engine.dialect.name == "sqlite":
        numbers = f"(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
        key = "printf('%08x%016x', n * 2654435761 % 4294967296, n)"
        moment = "strftime('%Y-%m-%d %H:%M:%f', '2026-01-01', '+' || (n * 20) || ' seconds') || '000+00:00'"
        empty = "'{}'"
    else:
        numbers = f"generate_series(1, {count}) AS s(n)"
        key = "lpad(to_hex(n::bigint * 2654435761 % 4294967296), 8, '0') || lpad(to_hex(n), 16, '0')"
        moment = "timestamptz '2026-01-01 00:00+00' + n * interval '20 seconds'"
        empty = "'{}'::jsonb"
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        cursor = raw.cursor()
        if engine.dialect.name == "sqlite":
            cursor.execute("PRAGMA foreign_keys=OFF")
        else:
            cursor.execute("SET session_replication_role = replica")
        body = "'Words of a text about harbours, rain and trade. ' || n"
        cursor.execute(
            f"INSERT INTO documents (id, recipe, source_id, lead_id, number, revision, state, url, title, text, language, publisher, "
            f"published_at, created_at, updated_at, quality) SELECT {key}, '{RECIPE}', '{SOURCE}', {key}, n, 1, {STATES}, "
            f"'https://wire.example/' || n, 'Title ' || n, {body}, {LANGUAGES}, 'Wire', {moment}, {moment}, {moment}, 0.5 FROM {numbers}"
        )
        cursor.execute(
            f"INSERT INTO captures (id, recipe, source_id, url, final_url, status, headers, media_type, sha256, size, pack, start, length, fetched_at, "
            f"elapsed_ms, policy) SELECT {key}, '{RECIPE}', '{SOURCE}', 'https://wire.example/' || n, 'https://wire.example/' || n, 200, {empty}, "
            f"'text/html', '', 1, 'p', 0, 1, {moment}, 100, {empty} FROM {numbers}"
        )
        cursor.execute(
            f"INSERT INTO stories (id, recipe, group_id, state, title, summary, size, first_at, last_at, score, revision, attributes, created_at, "
            f"updated_at) SELECT {key}, '{RECIPE}', 'g', 'live', 'Story ' || n, 'Summary', 3, {moment}, {moment}, 0.5, 1, {empty}, {moment}, {moment} "
            f"FROM {numbers} WHERE n % 5 = 0"
        )
        for before in range(3):
            member = key.replace("n * 2654435761", f"(n - {before}) * 2654435761").replace(
                ", n)", f", n - {before})"
            )
            member = member.replace("n::bigint", f"(n - {before})::bigint").replace(
                "to_hex(n)", f"to_hex(n - {before})"
            )
            cursor.execute(
                f"INSERT INTO story_members (story_id, document_id, similarity) SELECT {key}, {member}, 0.9 FROM {numbers} WHERE n % 5 = 0"
            )
        cursor.execute(
            f"INSERT INTO quarantine (record_id, task, recipe, state, reason, detail, evidence, attempts, created_at) SELECT {key}, 'refine', "
            f"'{RECIPE}', 'quarantined', 'no_text', '', {empty}, 1, {moment} FROM {numbers} WHERE n % 50 = 0"
        )
        raw.commit()
        if engine.dialect.name != "sqlite":
            cursor.execute("SET session_replication_role = DEFAULT")
            raw.commit()
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "ANALYZE"
            if engine.dialect.name == "sqlite"
            else "ANALYZE documents, captures, stories, story_members, quarantine"
        )
        connection.commit()


async def measure_lists(app: App) -> None:
    context = make_context(app, refuse_runs)
    async with client_of(context) as client:
        freeze_loaded_objects()  # as `headwater serve` does
        page = (await client.get("/api/v1/documents?limit=1000&fields=id")).json()
        for path in LISTS:
            address = "/api/v1" + path.replace("MIDDLE", page["next"])
            watch, bare = Stopwatch(), []
            for _ in range(ROUNDS):
                with watch.running():
                    answer = await client.get(address)
                assert answer.status_code == 200, answer.text
                began = time.perf_counter()
                with app.store.engine.connect() as connection:
                    connection.exec_driver_sql(
                        "SELECT * FROM documents WHERE recipe = 'news' AND state = 'kept' ORDER BY created_at DESC, id DESC LIMIT 50"
                    ).all()
                bare.append(time.perf_counter() - began)
            print(f"{path:44} {watch}  bare SELECT p95 {p95(bare):5.1f} ms", flush=True)


async def measure_pages(app: App) -> None:
    context = make_context(app, refuse_runs)
    async with client_of(context) as client:
        freeze_loaded_objects()  # as `headwater serve` does
        story = (await client.get("/api/v1/stories?limit=1&fields=id")).json()["items"][0]["id"]
        document = (await client.get("/api/v1/documents?limit=1&fields=id")).json()["items"][0]["id"]
        for path in PAGES:
            address, watch = path.replace("STORY", story).replace("DOCUMENT", document), Stopwatch()
            for _ in range(ROUNDS):
                with watch.running():
                    answer = await client.get(address)
                assert answer.status_code == 200, answer.text
            print(f"{path:44} {watch}", flush=True)


async def measure_requests(app: App, count: int) -> None:
    started = asyncio.get_running_loop().create_future()
    context = make_context(app, refuse_runs)
    task = asyncio.create_task(
        run_server(context, listen_on("127.0.0.1", 0), on_started=lambda _, port: started.set_result(port))
    )
    port = await started
    base = f"http://127.0.0.1:{port}/api/v1"
    async with httpx2.AsyncClient() as client:
        document = (await client.get(f"{base}/documents?limit=1")).json()["items"][0]["id"]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        etag = (await client.get(f"{base}/documents/{document}")).headers["etag"]
        head = f"GET /api/v1/documents/{document} HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: {etag}\r\n\r\n".encode()
        await repeat_requests(reader, writer, "cached document", [head], count)
        for name, paths in MEMORY_REQUESTS.items():
            heads = [f"GET /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for path in paths]
            await repeat_requests(reader, writer, name, heads, count)
        writer.close()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def repeat_requests(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str, heads: list[bytes], count: int
) -> None:
    sizes = []
    began = time.perf_counter()
    for number in range(count):
        writer.write(heads[number % len(heads)])
        head = await reader.readuntil(b"\r\n\r\n")
        status, length = head.split(b" ", 2)[1], CONTENT_LENGTH.search(head)
        assert status in {b"200", b"304"}, head
        await reader.readexactly(int(length[1]) if length else 0)
        if number in (count // 10, count - 1):
            sizes.append(_resident())
    elapsed = time.perf_counter() - began
    print(
        f"{name}: {count / elapsed:.0f} requests/s with the client in the same process; memory {sizes[0]:.0f} -> {sizes[-1]:.0f} MB"
    )


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


@contextmanager
def database(kind: str):
    if kind == "sqlite":
        yield None
        return
    with running_postgres() as server:
        yield server.create("bench")


def main() -> None:
    kind = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    requests = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    with tempfile.TemporaryDirectory() as folder, database(kind) as url:
        app = App(Settings(data=folder, database=url))
        began = time.perf_counter()
        fill(app, count)
        print(f"{kind}: {count} documents in {time.perf_counter() - began:.0f} s")
        asyncio.run(measure_lists(app))
        asyncio.run(measure_pages(app))
        began = time.perf_counter()
        has_vectors = fill_search(app, count, RECIPE)
        print(
            f"search index in {time.perf_counter() - began:.0f} s, {'with' if has_vectors else 'without'} vectors"
        )
        asyncio.run(measure_search(app, has_vectors=has_vectors))
        asyncio.run(measure_requests(app, requests))
        app.store.engine.dispose()


if __name__ == "__main__":
    main()
