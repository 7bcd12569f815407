"""A client that another program generates from the description of the API."""

import asyncio
from pathlib import Path

import aiopenapi3
import httpx2
import pytest
from tests.support.api_installation import KEY, fill, installation
from tests.support.web_client import refuse_runs

from headwater.store.reads.saved_searches import list_saved_searches
from headwater.web.application import build_application
from headwater.web.serving import make_context

BASE = "http://127.0.0.1"


def test_a_generated_client_reads_searches_and_changes(tmp_path: Path):
    with installation(tmp_path) as app:
        ids = fill(app)
        application = build_application(make_context(app, refuse_runs, settings_key=KEY))

        def session(**options) -> httpx2.AsyncClient:
            return httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app=application, client=("127.0.0.1", 1)), **options
            )

        async def scene() -> None:
            async with session(base_url=BASE) as client:
                description = (await client.get("/api/v1/openapi.json")).json()
            api = aiopenapi3.OpenAPI(f"{BASE}/", description, session_factory=session)
            api.authenticate(key=KEY)
            first = await api._.documents.read_documents(parameters={"limit": 2})
            second = await api._.documents.read_documents(parameters={"limit": 2, "cursor": first.next})
            assert [row.id for row in (*first.items, *second.items)] == ids[::-1]
            assert second.next is None
            document = await api._.documents.read_document(parameters={"document": ids[1], "fields": "title"})
            assert document.title == "Harbour Talks"
            page = await api._.search.search(parameters={"q": "harbour", "method": "words"})
            assert {row.id for row in page.items} == set(ids[:2])
            body = {"name": "harbour", "query": "harbour", "filters": {"language": ["en"]}}
            saved = await api._["saved searches"].save_search(data=body)
            assert saved is not None
            assert [search.name for search in list_saved_searches(app.engine)] == ["harbour"]
            with pytest.raises(aiopenapi3.errors.HTTPClientError) as problem:
                await api._.documents.read_document(parameters={"document": "unknown"})
            assert problem.value.status_code == 404

        asyncio.run(scene())
