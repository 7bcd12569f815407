"""MCP with the SDK's own client, over HTTP and over standard input and output; and an agent that cites captured bytes."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import StdioServerParameters
from mcp.client.client import Client
from tests.flow.command_line import SOURCE
from tests.support.api_installation import NOW, fill, installation
from tests.support.deadline import DEADLINE
from tests.support.scene import RECIPE
from tests.support.web_client import refuse_runs, web_client

from headwater.app import App
from headwater.web.mcp import tools
from headwater.web.mcp.records import DocumentAnswer, Evidence, Freshness, RecipeAnswer
from headwater.web.mcp.server import make_mcp_server
from headwater.web.mcp.size_limit import CHARACTERS_PER_TOKEN, FEWEST_TOKENS, count_tokens, shorten
from headwater.web.server import listen_on
from headwater.web.serving import make_context, run_server

STORY = "5" * 40
TOOLS = {
    "search",
    "get_document",
    "get_story",
    "top_stories",
    "story_timeline",
    "source_health",
    "explain_field",
    "find_procedure",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mcp")
    with installation(folder) as app:
        yield app, fill(app), folder


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content["freshness"]["as_of"]
    return result.structured_content


async def ask_everything(client: Client, ids: list[str]) -> None:
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.output_schema and tool.description for tool in tools)
    first = await call(client, "search", query="harbour", limit=1)
    second = await call(client, "search", query="harbour", limit=1, cursor=first["next"])
    assert {first["results"][0]["id"], second["results"][0]["id"]} == set(ids[:2])
    assert second["next"] is None
    assert first["results"][0]["recipe"] == RECIPE
    story = await call(client, "get_story", story=STORY)
    assert [document["id"] for document in story["documents"]] == [ids[1], ids[0]]
    assert {document["recipe"] for document in story["documents"]} == {RECIPE}
    assert all(item["capture"] and item["quote"] for item in story["evidence"])
    assert (await call(client, "top_stories", hours=48))["stories"][0]["id"] == STORY
    assert len((await call(client, "story_timeline", story=STORY))["reports"]) == 2
    assert (await call(client, "source_health"))["sources"][0]["name"] == "Wire"
    explained = await call(client, "explain_field", document=ids[2], field="text")
    assert (explained["origin"], explained["evidence"][0]["field"]) == ("html body", "text")
    assert (await call(client, "find_procedure", question="renovar el DNI"))["result"]["procedure"] is None
    wrong = await client.call_tool("get_document", {"document": "unknown"})
    assert (wrong.is_error, "no such document" in wrong.content[0].text) == (True, True)


@asynccontextmanager
async def http_client(app: App) -> AsyncIterator[Client]:
    started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    context = make_context(app, refuse_runs)
    task = asyncio.create_task(
        run_server(context, listen_on("127.0.0.1", 0), on_started=lambda _, port: started.set_result(port))
    )
    try:
        port = await asyncio.wait_for(started, DEADLINE)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield client
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def test_all_tools_answer_over_http(served):
    app, ids, _ = served

    async def scene() -> None:
        async with http_client(app) as client:
            await ask_everything(client, ids)

    asyncio.run(scene())


def test_all_tools_answer_over_standard_input_and_output(served):
    _, ids, folder = served
    program = StdioServerParameters(
        command=sys.executable,
        args=["-m", "headwater.cli", "--data", str(folder / "data"), "mcp"],
        env={"PYTHONPATH": str(SOURCE)},
    )

    async def scene() -> None:
        async with asyncio.timeout(DEADLINE), Client(program) as client:
            found_tools = {tool.name for tool in (await client.list_tools()).tools}
            assert found_tools == TOOLS
            document = await call(client, "get_document", document=ids[0], detail="full")
            assert document["text"] == "The text of harbour-strike."

    asyncio.run(scene())


def test_a_mistake_of_ours_is_neither_shown_nor_logged_with_its_words(served, monkeypatch, capsys):
    app, _, _ = served

    def fail(*_: Any) -> None:
        raise ValueError("hidden-words")

    monkeypatch.setattr(tools, "story_timeline", fail)

    async def scene() -> Any:
        async with Client(make_mcp_server(app)) as client:
            return await client.call_tool("story_timeline", {"story": STORY})

    result = asyncio.run(scene())
    printed = capsys.readouterr()
    assert result.is_error
    assert "hidden-words" not in str(result) + printed.out + printed.err
    assert "ValueError" in printed.out + printed.err


@pytest.mark.parametrize("limit", [500, 600, 2_000])
def test_an_answer_is_not_longer_than_the_model_allows(served, limit: int):
    app, ids, _ = served

    async def scene() -> dict[str, Any]:
        async with Client(make_mcp_server(app)) as client:
            return await call(client, "search", query="text", max_tokens=limit)

    answer = asyncio.run(scene())
    assert answer["results"]
    assert len(json.dumps(answer)) <= limit * CHARACTERS_PER_TOKEN * 1.2
    assert answer["shortened"] is (len(answer["results"]) < len(ids))
    assert (answer["next"] is None) is (len(answer["results"]) == len(ids))


def test_texts_with_a_nul_and_limits_that_rest_refuses_are_refused(served):
    app, _, _ = served
    wrong = (
        ("search", {"query": "harbour", "language": "e\0s"}, "NUL"),
        ("search", {"query": "harbour", "cursor": "\0"}, "NUL"),
        ("top_stories", {"recipe": "\0"}, "NUL"),
        ("get_story", {"story": "\0"}, "NUL"),
        ("get_document", {"document": "\0"}, "NUL"),
        ("find_procedure", {"question": "\0"}, "NUL"),
        ("search", {"query": "harbour", "limit": 0}, "limit"),
        ("search", {"query": "harbour", "limit": 101}, "limit"),
        ("top_stories", {"limit": -5}, "limit"),
        ("story_timeline", {"story": STORY, "limit": 0}, "limit"),
    )

    async def scene() -> list[Any]:
        async with Client(make_mcp_server(app)) as client:
            return [await client.call_tool(tool, arguments) for tool, arguments, _ in wrong]

    for result, (_, _, word) in zip(asyncio.run(scene()), wrong, strict=True):
        assert result.is_error
        assert word in result.content[0].text


def test_arguments_that_a_tool_does_not_have_and_limits_that_no_answer_fits_are_refused(served):
    app, _, _ = served

    async def scene() -> list[Any]:
        async with Client(make_mcp_server(app)) as client:
            tools = (await client.list_tools()).tools
            assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
            wrong = ({"languge": "es"}, {"max_tokens": 10}, {"max_tokens": 10**6})
            return [await client.call_tool("search", {"query": "harbour", **part}) for part in wrong]

    for result, word in zip(asyncio.run(scene()), ("languge", "max_tokens", "max_tokens"), strict=True):
        assert result.is_error
        assert word in result.content[0].text


TEXTS = st.text(max_size=3_000)
NESTED = st.recursive(
    TEXTS, lambda part: st.lists(part, max_size=30) | st.dictionaries(TEXTS, part, max_size=30), max_leaves=30
)


@settings(max_examples=40, deadline=None)
@given(title=TEXTS, text=TEXTS, origins=st.dictionaries(TEXTS, TEXTS, max_size=20), result=NESTED)
def test_the_shortest_limit_holds_for_any_record(title, text, origins, result):
    base = {
        "freshness": Freshness(as_of=NOW, last_poll_at=NOW, stale=False),
        "evidence": [
            Evidence(document="d" * 40, url="u" * 3_000, capture="c" * 40, sha256="s" * 64, quote=text)
        ],
    }
    document = DocumentAnswer(
        **base, id="d" * 40, recipe="r", state="kept", revision=1, title=title, url="u" * 3_000, publisher=title,
        authors=[title] * 20, published_at=NOW, language="en", description=text, text=text, origins=origins,
    )  # fmt: skip
    for answer in (document, RecipeAnswer(**base, recipe="r", result=result)):
        # A letter outside of ASCII may take six characters of JSON.
        assert count_tokens(shorten(answer, FEWEST_TOKENS)) <= 2 * FEWEST_TOKENS


ScriptedModel = Callable[[str, list[dict[str, Any]]], tuple[str, dict[str, Any]] | str]


def scripted_model(question: str, answers: list[dict[str, Any]]) -> tuple[str, dict[str, Any]] | str:
    """What a model would do: call tools until it knows enough, then answer with citations."""
    if "who reported" in question:
        if not answers:
            return "top_stories", {"hours": 48}
        if len(answers) == 1:
            return "story_timeline", {"story": answers[0]["stories"][0]["id"]}
        return f"{answers[1]['reports'][0]['publisher']} reported it first"
    if not answers:
        return "search", {"query": question.rsplit(maxsplit=1)[-1], "limit": 1}
    if len(answers) == 1:
        return "explain_field", {"document": answers[0]["results"][0]["id"], "field": "text"}
    return answers[1]["value"]


async def run_agent(client: Client, model: ScriptedModel, question: str) -> tuple[str, list[dict[str, Any]]]:
    """The loop of an agent: tools until the model answers; the citations are the evidence of the last tool."""
    answers: list[dict[str, Any]] = []
    while True:
        step = model(question, answers)
        if isinstance(step, str):
            return step, answers[-1]["evidence"]
        answers.append(await call(client, step[0], **step[1]))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is known about rain", "The text of rain-record."),
        ("what happened in the talks", "The text of harbour-talks."),
        ("who reported the strike first", "Wire reported it first"),
    ],
)
def test_an_agent_answers_with_citations_that_resolve_to_captured_bytes(served, question: str, answer: str):
    app, _, _ = served

    async def scene() -> tuple[str, list[dict[str, Any]]]:
        async with Client(make_mcp_server(app)) as client:
            return await run_agent(client, scripted_model, question)

    text, citations = asyncio.run(scene())
    assert text == answer
    assert citations
    for citation in citations:
        about, body = app.provenance.captures([citation["capture"]])[citation["capture"]]
        assert about.sha256 == citation["sha256"]
        assert body[citation["start"] : citation["end"]].decode() == citation["quote"]
    assert NOW


def test_a_page_of_another_site_may_not_call_the_server(served):
    app, _, _ = served

    async def status(**headers: str) -> int:
        async with web_client(app) as client:
            return (await client.get("/mcp", headers=headers)).status_code

    async def scene() -> None:
        foreign = [await status(origin=origin) for origin in ("https://evil.example", "null", "http://[")]
        assert foreign == [403, 403, 403]
        assert 403 not in [await status(), await status(origin="http://127.0.0.1")]

    asyncio.run(scene())
