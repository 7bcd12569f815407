"""The markets recipe from the command line: the demo, the queues, and copies under the names of the contract."""

import io
import json
import re
from importlib import import_module
from pathlib import Path

import obstore
import pytest
from msgspec.structs import asdict
from msgspec.structs import replace as with_settings
from rich.console import Console
from tests.flow.command_line import call, call_in
from tests.servers.seaweed import Seaweed
from tests.support.environments import EnvironmentUnderTest
from tests.support.markets_run import EVERYTHING, markets_run
from tests.support.stored_files import read_stored_files

from headwater.app import App
from headwater.archive.bucket import S3Server
from headwater.archive.named_objects import objects_in_bucket, objects_in_buckets, objects_in_folder
from headwater.cli.demo import demo_settings
from headwater.cli.render.run_summary import print_run_summary, read_counts, summarise_run
from headwater.model.recipe import Envelope, ParsedDocument
from headwater.ops.object_copies import copy_objects, copy_recent_payloads
from headwater.runtime.maintenance import tasks_for
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction
from headwater.store.records import documents_by_id
from headwater.store.schema.flow import documents, polls, sources
from headwater.store.schema.knowledge import facts
from headwater_demo.internet import running
from headwater_demo.markets.watch_list import KEYS
from headwater_recipes.markets.definition import configure
from headwater_recipes.markets.layout import ResourceNames, object_layout

NEWS = {"name": "news", "kind": "news_api", "tickers": ["NGSC", "KDRA"], "options": EVERYTHING | {"limit": 1}}
PRICES = {"name": "prices", "kind": "market_api", "tickers": ["NGSC"], "options": {"dataset": "previous"}}
ALL = {
    "name": "all",
    "kind": "market_api",
    "options": {"dataset": "grouped", "from": "2026-11-12", "to": "2026-11-12"},
}


@pytest.fixture(scope="module")
def market_run(tmp_path_factory: pytest.TempPathFactory, environment: EnvironmentUnderTest):
    """A run that has read everything once."""
    patch = pytest.MonkeyPatch()
    for name, value in KEYS.items():
        patch.setenv(name, value)
    with (
        running() as internet,
        markets_run(
            tmp_path_factory.mktemp("markets"), internet, NEWS, PRICES, ALL, environment=environment
        ) as finished_run,
    ):
        finished_run.run()
        yield finished_run
    patch.undo()


@pytest.fixture
def run_cli(market_run, capsys, monkeypatch):
    values = {"data": str(market_run.folder / "data"), "database": market_run.environment.database}
    path = market_run.folder / "headwater.yaml"
    path.write_text(
        json.dumps(values | {"archive": asdict(market_run.environment.archive)}), encoding="utf-8"
    )
    return lambda *words: call(capsys, monkeypatch, "--config", str(path), *words)


def test_r48_r49_r50_payloads_are_stored_by_bucket_kind_company_day_and_run(market_run, tmp_path: Path):
    counts = copy_objects(
        market_run.app, "markets", object_layout(ResourceNames("stonks")), objects_in_folder(tmp_path), None
    )
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")}
    ids = {run["id"] for run in market_run.rows(polls)}
    news = [name for name in names if name.startswith("stonks-raw-news/news_api/NGSC/2026/11/13/")]
    assert news
    assert {name.split("/")[6] for name in news} <= ids
    assert any(name.startswith("stonks-raw-market/market_api/NGSC/2026/11/13/") for name in names)
    assert any(name.startswith("stonks-raw-market/market_api/_global/2026/11/13/") for name in names)
    assert "results" in json.loads((tmp_path / news[0]).read_bytes())
    assert counts["missing"] == 0
    again = copy_objects(
        market_run.app, "markets", object_layout(ResourceNames("stonks")), objects_in_folder(tmp_path), None
    )
    assert (again["payloads"], again["written"]) == (counts["payloads"], 0)


def test_r49_payloads_are_copied_to_the_buckets_of_a_server(market_run, seaweed: Seaweed):
    server = S3Server(endpoint=seaweed.endpoint, key=seaweed.key, secret=seaweed.secret)
    prefix = f"stonks-{market_run.app.store.engine.dialect.name}"
    names = object_layout(ResourceNames(prefix))
    counts = copy_objects(market_run.app, "markets", names, objects_in_buckets(server), None)
    assert counts["written"] == counts["payloads"] + 2 * counts["documents"] > 0
    for bucket, kind in ((f"{prefix}-raw-news", "news_api"), (f"{prefix}-raw-market", "market_api")):
        listed = [entry["path"] for page in obstore.list(server.bucket(bucket)) for entry in page]
        assert listed
        assert all(name.startswith(f"{kind}/") for name in listed)
    again = copy_objects(market_run.app, "markets", names, objects_in_buckets(server), None)
    assert (again["payloads"], again["documents"], again["written"]) == (
        counts["payloads"], counts["documents"], 0,
    )  # fmt: skip
    single_bucket_counts = copy_objects(
        market_run.app, "markets", names, objects_in_bucket(server, prefix, "copies"), None
    )
    assert single_bucket_counts == counts
    first = next(iter(obstore.list(server.bucket(prefix))))[0]["path"]
    assert first.startswith(f"copies/{prefix}-")


def test_r49_the_command_copies_to_buckets_and_names_an_invalid_one(
    market_run, run_cli, seaweed, monkeypatch
):
    access = {"ENDPOINT": seaweed.endpoint, "KEY": seaweed.key, "SECRET": seaweed.secret}
    for name, value in access.items():
        monkeypatch.setenv(f"HEADWATER_ARCHIVE_{name}", value)
    place = f"s3://by-command/{market_run.app.store.engine.dialect.name}"
    answer = run_cli("archive", "copy", "markets", "--to", place, "--json")
    assert answer.err == ""
    copied = answer.record
    assert (copied["folder"], copied["missing"]) == (place, 0)
    assert copied["written"] > 0
    assert "cannot be a bucket" in run_cli("archive", "copy", "markets", "--to", "s3://Not_One/x").err
    monkeypatch.setenv("HEADWATER_ARCHIVE_SECRET", "wrong-secret")
    refused = run_cli("archive", "copy", "markets", "--to", "s3://")
    assert refused.code == 1
    assert "refuses this key" in refused.err
    assert "wrong-secret" not in refused.err


def test_several_pages_of_a_poll_are_stored_side_by_side(market_run, tmp_path: Path):
    copy_objects(market_run.app, "markets", object_layout(ResourceNames()), objects_in_folder(tmp_path), None)
    names = {path.name for path in (tmp_path / "app-raw-content").rglob("raw*.json")}
    assert "raw.json" in names
    assert all(re.fullmatch(r"raw(-\d+)?\.json", name) for name in names)


def test_r48_r84_r85_named_objects_follow_each_document_as_a_delivery(market_run, tmp_path: Path):
    settings = with_settings(market_run.app.settings, objects=str(tmp_path))
    app = App(settings, market_run.clock)
    vars(app).update(store=market_run.app.store, engine=market_run.app.engine)
    assert "objects" in {route.sink for route in app.recipe("markets").routes}
    assert "copy_payloads" in tasks_for(app)
    kept = [row["id"] for row in market_run.rows(documents, state="kept")]
    with read_transaction(app.store.engine) as connection:
        records = documents_by_id(connection, kept)
    envelopes = [
        Envelope(key=f"{name}-1", route="objects", record=records[name], revision=1) for name in kept
    ]
    for _ in range(2):
        receipts = [outcome.receipt for outcome in app.sinks["objects"].send(envelopes)]
    assert len(receipts) == len(kept) > 0
    for receipt in receipts:
        assert (tmp_path / receipt).read_text(encoding="utf-8")
        assert (tmp_path / receipt).with_name("parser_output.json").exists()
    raw = {path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("raw*.json")}
    assert raw == {("app-raw-content", "news_api")}
    # Prices have no documents: a maintenance task copies their payloads.
    assert copy_recent_payloads(app)["markets"] > 0
    assert any((tmp_path / "app-raw-data").rglob("raw.json"))


def test_r84_r85_text_and_parser_output_are_stored_per_document(market_run, tmp_path: Path):
    copy_objects(market_run.app, "markets", object_layout(ResourceNames()), objects_in_folder(tmp_path), None)
    row = next(
        document for document in market_run.rows(documents) if document["attributes"]["ticker"] == "KDRA"
    )
    folder = tmp_path / "app-normalized" / "news_api" / "KDRA" / row["id"]
    assert (folder / "normalized.txt").read_text(encoding="utf-8") == row["text"]
    output = json.loads((folder / "parser_output.json").read_bytes())
    assert set(output) >= {"metadata", "quality", "warnings", "outbound_links", "tags", "mentions"}
    assert output["metadata"]["title"] == row["title"]
    assert output["quality"]["score"] == row["quality"]
    assert set(output["quality"]["signals"]) == {
        "word_count",
        "body_found",
        "diversity",
        "sentence",
        "paragraph",
        "metadata",
    }
    assert output["mentions"][0]["confidence"] >= 0.7
    assert output["outbound_links"]
    (fact,) = market_run.rows(facts, record_id=row["id"], name="parser_output")
    assert fact["value"] == output


def test_5_7_a_ticker_cannot_lead_out_of_its_folder():
    names = object_layout(ResourceNames())
    document = ParsedDocument(
        id="d1", kind="news_api", attributes={"ticker": "../../BRK.B"}, text="", record={}
    )
    assert names.part(document, "x") == "app-normalized/news_api/-BRK-B/d1/x"


def test_a_queue_is_listed_peeked_popped_and_acknowledged(run_cli, tmp_path: Path):
    (listed,) = run_cli("queue", "list", "--json").records
    assert listed["queue"] == "app:queue:extraction"
    assert "extraction" in run_cli("queue", "list").out
    peeked = run_cli("queue", "peek", "extraction").record
    popped = run_cli("queue", "pop", "extraction", "--lease", "5m").record
    assert popped["id"] == peeked["id"]
    assert popped["normalized_text"]
    result = tmp_path / "result.json"
    result.write_text('{"summary": "fine"}', encoding="utf-8")
    assert run_cli("queue", "ack", popped["id"], "--result", str(result), "--json").record["state"] == "done"
    late = run_cli("queue", "fail", peeked["id"])
    assert (late.code, "is done" in late.err) == (1, True)
    assert run_cli("queue", "retry", "--json").record == {"count": 0}
    for words in (("ack", "unknown"), ("pop", "nowhere"), ("ack", "x", "--result", str(tmp_path / "none"))):
        answer = run_cli("queue", *words)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.count("\n") <= 3


def test_r16_bars_are_exported_as_parquet_lines_or_a_table(run_cli, tmp_path: Path):
    file = tmp_path / "bars.parquet"
    report = run_cli(
        "export", "bars", "--recipe", "markets", "--format", "parquet", "--out", str(file), "--json"
    ).record
    exported = import_module("pyarrow.parquet").read_table(file).to_pylist()
    assert len(exported) == report["bars"] == 50
    assert {"symbol", "span", "at", "open", "high", "low", "close", "volume"} <= set(exported[0])
    lines = run_cli("export", "bars", "--recipe", "markets", "--symbol", "NGSC", "--span", "1day").records
    assert [line["symbol"] for line in lines] == ["NGSC"]
    assert run_cli("export", "bars", "--recipe", "markets", "--since", "2026-11-13").out == ""


def test_the_demo_settings_contain_no_real_address(tmp_path: Path):
    settings = demo_settings(Settings(), tmp_path, "http://127.0.0.1:1", "small")
    recipe_settings = settings.recipes["markets"]
    recipe = configure(Path(recipe_settings.sources), recipe_settings.options)
    assert len(recipe.subjects) == 10
    assert all(
        name.endswith(".example/") or ".example" in name
        for name in recipe_settings.options["endpoints"].values()
    )
    assert App(settings).settings.budgets["news_api"] == 0


def test_the_demo_runs_the_recipe_to_its_end_with_its_own_key_only(tmp_path: Path):
    words = ("demo", "run", "--recipe", "markets", "--size", "small", "--data", "data", "--json")
    summary = call_in(tmp_path, *words, HEADWATER_MASSIVE_KEY="a-real-key").record["recipes"]["markets"]
    assert summary["trouble"] == []
    assert summary["in_all"]["kept"] == summary["in_all"]["delivered"] > 30
    assert (summary["in_all"]["quarantined"], summary["in_all"]["waiting"]) == (0, 0)
    stored = b"".join(read_stored_files(tmp_path / "data").values())
    assert b"a-real-key" not in stored


def test_r28_all_sources_that_a_lost_key_stopped_are_reset_together(tmp_path: Path, capsys, monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with running() as internet, markets_run(tmp_path, internet, NEWS, PRICES) as keyed_run:
        internet.revoke_key("demo-key")
        keyed_run.run()
        assert {row["failures"] for row in keyed_run.rows(sources)} == {1}
        with keyed_run.app.store.engine.begin() as connection:
            connection.execute(
                sources.update().values(failures=10, stop_reason="10 failures in a row", due_at=None)
            )
        internet.add_key("demo-key")
        data = str(tmp_path / "data")
        answer = call(capsys, monkeypatch, "--data", data, "sources", "reset", "--recipe", "markets")
        assert answer.out.strip() == "3 sources reset: due now."
        assert call(capsys, monkeypatch, "--data", data, "sources", "reset").code == 2
        assert all(row["due_at"] is not None for row in keyed_run.rows(sources))
        keyed_run.poll_again()  # the command's clock is the real one, which the test's is not
        assert {(row["failures"], row["stop_reason"]) for row in keyed_run.rows(sources)} == {(0, None)}
        assert keyed_run.rows(documents)


def test_a_run_without_keys_names_the_keys_to_set(tmp_path: Path):
    patch = pytest.MonkeyPatch()
    for name in KEYS:
        patch.delenv(name, raising=False)
    with (
        running() as internet,
        markets_run(tmp_path, internet, NEWS, PRICES, {"name": "account", "kind": "broker"}) as keyless_run,
    ):
        keyless_run.run()
        summary = summarise_run(keyless_run.app, "markets", read_counts(keyless_run.app, "markets"))
        assert internet.log() == []
    patch.undo()
    assert summary.keyless == {
        "set HEADWATER_MASSIVE_KEY in the environment": 3,
        "set HEADWATER_BROKER_KEY and HEADWATER_BROKER_SECRET in the environment": 1,
    }
    assert summary.trouble == []
    out = Console(record=True, width=80, file=io.StringIO())
    print_run_summary(summary, out, keyless_run.clock())
    assert "3 sources without a key: set HEADWATER_MASSIVE_KEY in the environment." in out.export_text()
