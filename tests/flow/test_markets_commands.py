"""The markets recipe from the command line: the demo, the queues, and copies under the names of the contract."""

import io
import json
import re
from importlib import import_module
from pathlib import Path

import obstore
import pytest
from msgspec.structs import asdict
from rich.console import Console
from tests.flow.command_line import call, shell
from tests.servers.seaweed import Seaweed
from tests.support.environments import EnvironmentUnderTest
from tests.support.markets_run import EVERYTHING, markets_run

from headwater.app import App
from headwater.archive.bucket import S3Server
from headwater.archive.named_objects import objects_in_bucket, objects_in_buckets, objects_in_folder
from headwater.cli.demo import demo_settings
from headwater.cli.render.run_summary import print_run_summary, read_counts, summarise_run
from headwater.ops.object_copies import copy_objects
from headwater.settings.settings import Settings
from headwater.store.schema.flow import documents, polls, sources
from headwater.store.schema.knowledge import facts
from headwater_demo.internet import running
from headwater_demo.markets.watch_list import KEYS
from headwater_recipes.markets import configure
from headwater_recipes.markets.layout import ResourceNames, object_layout

NEWS = {"name": "news", "kind": "news_api", "tickers": ["NGSC", "KDRA"], "options": EVERYTHING | {"limit": 1}}
PRICES = {"name": "prices", "kind": "market_api", "tickers": ["NGSC"], "options": {"dataset": "previous"}}
ALL = {
    "name": "all",
    "kind": "market_api",
    "options": {"dataset": "grouped", "from": "2026-11-12", "to": "2026-11-12"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, environment: EnvironmentUnderTest):
    """A laboratory in which everything was read once."""
    patch = pytest.MonkeyPatch()
    for name, value in KEYS.items():
        patch.setenv(name, value)
    with (
        running() as internet,
        markets_run(
            tmp_path_factory.mktemp("markets"), internet, NEWS, PRICES, ALL, environment=environment
        ) as found,
    ):
        found.run()
        yield found
    patch.undo()


@pytest.fixture
def ask(made, capsys, monkeypatch):
    told = {"data": str(made.folder / "data"), "database": made.environment.database}
    settings = made.folder / "headwater.yaml"
    settings.write_text(json.dumps(told | {"archive": asdict(made.environment.archive)}), encoding="utf-8")
    return lambda *words: call(capsys, monkeypatch, "--config", str(settings), *words)


def test_r48_r49_r50_payloads_lie_by_bucket_kind_company_day_and_run(made, tmp_path: Path):
    counted = copy_objects(
        made.app, "markets", object_layout(ResourceNames("stonks")), objects_in_folder(tmp_path), None
    )
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")}
    ids = {run["id"] for run in made.rows(polls)}
    news = [name for name in found if name.startswith("stonks-raw-news/news_api/NGSC/2026/11/13/")]
    assert news
    assert {name.split("/")[6] for name in news} <= ids
    assert any(name.startswith("stonks-raw-market/market_api/NGSC/2026/11/13/") for name in found)
    assert any(name.startswith("stonks-raw-market/market_api/_global/2026/11/13/") for name in found)
    assert "results" in json.loads((tmp_path / news[0]).read_bytes())
    assert counted["missing"] == 0
    again = copy_objects(
        made.app, "markets", object_layout(ResourceNames("stonks")), objects_in_folder(tmp_path), None
    )
    assert (again["payloads"], again["written"]) == (counted["payloads"], 0)


def test_r49_buckets_are_buckets_of_a_server(made, seaweed: Seaweed):
    server = S3Server(endpoint=seaweed.endpoint, key=seaweed.key, secret=seaweed.secret)
    own = f"stonks-{made.app.store.engine.dialect.name}"
    names = object_layout(ResourceNames(own))
    counted = copy_objects(made.app, "markets", names, objects_in_buckets(server), None)
    assert counted["written"] == counted["payloads"] + 2 * counted["documents"] > 0
    for bucket, kind in ((f"{own}-raw-news", "news_api"), (f"{own}-raw-market", "market_api")):
        listed = [entry["path"] for page in obstore.list(server.bucket(bucket)) for entry in page]
        assert listed
        assert all(name.startswith(f"{kind}/") for name in listed)
    again = copy_objects(made.app, "markets", names, objects_in_buckets(server), None)
    assert (again["payloads"], again["documents"], again["written"]) == (
        counted["payloads"], counted["documents"], 0,
    )  # fmt: skip
    whole = copy_objects(made.app, "markets", names, objects_in_bucket(server, own, "copies"), None)
    assert whole == counted
    first = next(iter(obstore.list(server.bucket(own))))[0]["path"]
    assert first.startswith(f"copies/{own}-")


def test_r49_the_verb_copies_to_buckets_and_names_one_that_cannot_be(made, ask, seaweed, monkeypatch):
    told = {"ENDPOINT": seaweed.endpoint, "KEY": seaweed.key, "SECRET": seaweed.secret}
    for name, value in told.items():
        monkeypatch.setenv(f"HEADWATER_ARCHIVE_{name}", value)
    place = f"s3://by-verb/{made.app.store.engine.dialect.name}"
    answer = ask("archive", "copy", "markets", "--to", place, "--json")
    assert answer.err == ""
    copied = answer.record
    assert (copied["folder"], copied["missing"]) == (place, 0)
    assert copied["written"] > 0
    assert "cannot be a bucket" in ask("archive", "copy", "markets", "--to", "s3://Not_One/x").err
    monkeypatch.setenv("HEADWATER_ARCHIVE_SECRET", "wrong-secret")
    refused = ask("archive", "copy", "markets", "--to", "s3://")
    assert refused.code == 1
    assert "refuses this key" in refused.err
    assert "wrong-secret" not in refused.err


def test_several_pages_of_a_look_lie_side_by_side(made, tmp_path: Path):
    copy_objects(made.app, "markets", object_layout(ResourceNames()), objects_in_folder(tmp_path), None)
    names = {path.name for path in (tmp_path / "app-raw-content").rglob("raw*.json")}
    assert "raw.json" in names
    assert all(re.fullmatch(r"raw(-\d+)?\.json", name) for name in names)


def test_r84_r85_text_and_parser_output_lie_by_document(made, tmp_path: Path):
    copy_objects(made.app, "markets", object_layout(ResourceNames()), objects_in_folder(tmp_path), None)
    row = next(one for one in made.rows(documents) if one["attributes"]["ticker"] == "KDRA")
    folder = tmp_path / "app-normalized" / "news_api" / "KDRA" / row["id"]
    assert (folder / "normalized.txt").read_text(encoding="utf-8") == row["text"]
    told = json.loads((folder / "parser_output.json").read_bytes())
    assert set(told) >= {"metadata", "quality", "warnings", "outbound_links", "tags", "mentions"}
    assert told["metadata"]["title"] == row["title"]
    assert told["quality"]["score"] == row["quality"]
    assert set(told["quality"]["signals"]) == {
        "word_count",
        "body_found",
        "diversity",
        "sentence",
        "paragraph",
        "metadata",
    }
    assert told["mentions"][0]["confidence"] >= 0.7
    assert told["outbound_links"]
    (fact,) = made.rows(facts, record_id=row["id"], name="parser_output")
    assert fact["value"] == told


def test_5_7_a_ticker_cannot_lead_out_of_its_folder():
    names = object_layout(ResourceNames())
    assert names.part("news_api", "../../BRK.B", "d1", "x") == "app-normalized/news_api/-BRK-B/d1/x"


def test_a_queue_is_listed_peeked_popped_and_acknowledged(ask, tmp_path: Path):
    (listed,) = ask("queue", "list", "--json").records
    assert listed["queue"] == "app:queue:extraction"
    assert "extraction" in ask("queue", "list").out
    peeked = ask("queue", "peek", "extraction").record
    popped = ask("queue", "pop", "extraction", "--lease", "5m").record
    assert popped["id"] == peeked["id"]
    assert popped["normalized_text"]
    result = tmp_path / "result.json"
    result.write_text('{"summary": "fine"}', encoding="utf-8")
    assert ask("queue", "ack", popped["id"], "--result", str(result), "--json").record["state"] == "done"
    assert ask("queue", "fail", peeked["id"]).code == 0
    assert ask("queue", "retry", "--json").record == {"count": 0}
    for words in (("ack", "nobody"), ("pop", "nowhere"), ("ack", "x", "--result", str(tmp_path / "none"))):
        answer = ask("queue", *words)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.count("\n") <= 3


def test_r16_bars_are_exported_as_parquet_lines_or_a_table(ask, tmp_path: Path):
    file = tmp_path / "bars.parquet"
    told = ask("export", "bars", "markets", "--format", "parquet", "--out", str(file), "--json").record
    read = import_module("pyarrow.parquet").read_table(file).to_pylist()
    assert len(read) == told["bars"] == 50
    assert {"symbol", "span", "at", "open", "high", "low", "close", "volume"} <= set(read[0])
    lines = ask("export", "bars", "markets", "--symbol", "NGSC", "--span", "1day").records
    assert [line["symbol"] for line in lines] == ["NGSC"]
    assert ask("export", "bars", "markets", "--since", "2026-11-13").out == ""


def test_the_demos_settings_make_the_recipe_without_a_single_real_address(tmp_path: Path):
    settings = demo_settings(Settings(), tmp_path, "http://127.0.0.1:1", "small")
    own = settings.recipes["markets"]
    made = configure(Path(own.sources), own.options)
    assert len(made.subjects) == 10
    assert all(name.endswith(".example/") or ".example" in name for name in own.options["endpoints"].values())
    assert App(settings).settings.budgets["news_api"] == 0


def test_the_demo_runs_the_recipe_to_its_end_and_sees_no_key_but_its_own(tmp_path: Path):
    words = ("demo", "run", "--recipe", "markets", "--size", "small", "--data", "data", "--json")
    told = shell(*words, at=tmp_path, HEADWATER_MASSIVE_KEY="a-real-key").record["recipes"]["markets"]
    assert told["trouble"] == []
    assert told["in_all"]["kept"] == told["in_all"]["delivered"] > 30
    assert (told["in_all"]["quarantined"], told["in_all"]["waiting"]) == (0, 0)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert b"a-real-key" not in stored


def test_r28_all_sources_that_a_lost_key_stopped_are_reset_together(tmp_path: Path, capsys, monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with running() as internet, markets_run(tmp_path, internet, NEWS, PRICES) as found:
        internet.revoke_key("demo-key")
        found.run()
        assert {row["failures"] for row in found.rows(sources)} == {1}
        with found.app.store.engine.begin() as connection:
            connection.execute(
                sources.update().values(failures=10, stopped="10 failures in a row", due_at=None)
            )
        internet.add_key("demo-key")
        data = str(tmp_path / "data")
        answer = call(capsys, monkeypatch, "--data", data, "sources", "reset", "--all", "markets")
        assert answer.out.strip() == "3 sources reset: due now."
        assert call(capsys, monkeypatch, "--data", data, "sources", "reset").code == 2
        assert all(row["due_at"] is not None for row in found.rows(sources))
        found.poll_again()  # the command's clock is the real one, which the test's is not
        assert {(row["failures"], row["stopped"]) for row in found.rows(sources)} == {(0, None)}
        assert found.rows(documents)


def test_whoever_has_no_keys_is_told_which_to_set(tmp_path: Path):
    patch = pytest.MonkeyPatch()
    for name in KEYS:
        patch.delenv(name, raising=False)
    with (
        running() as internet,
        markets_run(tmp_path, internet, NEWS, PRICES, {"name": "account", "kind": "broker"}) as found,
    ):
        found.run()
        told = summarise_run(found.app, "markets", read_counts(found.app, "markets"))
        assert internet.log() == []
    patch.undo()
    assert told.keyless == {
        "set HEADWATER_MASSIVE_KEY in the environment": 3,
        "set HEADWATER_BROKER_KEY and HEADWATER_BROKER_SECRET in the environment": 1,
    }
    assert told.trouble == []
    out = Console(record=True, width=80, file=io.StringIO())
    print_run_summary(told, out, found.clock())
    assert "3 sources without a key: set HEADWATER_MASSIVE_KEY in the environment." in out.export_text()
