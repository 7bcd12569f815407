"""A seed list through the whole engine: each address once, and again when it is due."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from tests.support.poll_sessions import context_for, make_recipe, make_source, run

from headwater.sources.seeds import discover_seeds
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, polls
from headwater_demo.internet import running


def rows(app, table):
    with read_transaction(app.store.engine) as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def test_p8_a_list_of_urls_becomes_documents_and_is_fetched_again_in_time(tmp_path):
    path = tmp_path / "seeds.csv"
    path.write_text(
        "url,title\n"
        + "".join(f"http://mapped.example/page/seed-{n},Seed {n}\n" for n in range(5))
        + "nonsense,x\n"
    )
    source = make_source("seeds", "", options={"file": str(path), "recheck_every": "7d"})
    shift = timedelta(0)

    def clock():
        return datetime.now(UTC) + shift

    with (
        running() as internet,
        context_for(tmp_path, internet.base_url, make_recipe(discover_seeds, source), clock) as (
            app,
            context,
        ),
    ):
        run(context)
        assert {row["title"] for row in rows(app, documents)} == {f"Seed {n}" for n in range(5)}
        assert rows(app, polls)[0]["warnings"] == ["bad_address: nonsense"]
        internet.clear_log()
        shift = timedelta(days=7)
        run(context)
        requests = [record for record in internet.log() if record["path"].startswith("/page/")]
        assert sorted(record["path"] for record in requests) == [f"/page/seed-{n}" for n in range(5)]
        assert {record["status"] for record in requests} == {304}
        assert {row["revision"] for row in rows(app, documents)} == {1}
        assert len(rows(app, leads)) == 5
