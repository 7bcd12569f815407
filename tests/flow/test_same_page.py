"""Two sources that list the same pages: each page is requested once, and both keep their own provenance."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.environments import EnvironmentUnderTest
from tests.support.poll_sessions import context_for, make_recipe, make_source, run
from tests.support.table_rows import table_rows

from headwater.engine.context import JobContext
from headwater.model.jobs import State
from headwater.model.keys import source_key
from headwater.sources.seeds import discover_seeds
from headwater.store.schema.flow import captures, documents, leads
from headwater_demo.internet import Internet, running

PAGES = [f"/page/seed-{n}" for n in range(4)]


class MovableClock:
    def __init__(self) -> None:
        self.shift = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.shift


def page_requests(internet: Internet) -> list[tuple[str, int]]:
    return [(record["path"], record["status"]) for record in internet.log() if record["path"] in PAGES]


def with_second_recipe(context: JobContext) -> JobContext:
    """Another recipe whose source lists the same pages."""
    (first,) = context.recipes.values()
    source = replace(first.sources[0], id=source_key("second", "seeds", "", "Second"), recipe="second")
    second = replace(first, name="second", sources=(source,))
    context.store.register(second.sources, context.clock())
    return replace(context, recipes={first.name: first, second.name: second})


def test_pages_of_two_sources_are_requested_once_then_conditionally(
    tmp_path: Path, own_environment: EnvironmentUnderTest
):
    path = tmp_path / "seeds.csv"
    path.write_text("url\n" + "".join(f"http://mapped.example{page}\n" for page in PAGES))
    recipe = make_recipe(discover_seeds, make_source("seeds", "", options={"file": str(path)}))
    clock = MovableClock()
    with (
        running() as internet,
        context_for(tmp_path, internet.base_url, recipe, clock, own_environment) as (app, context),
    ):
        both = with_second_recipe(context)
        run(both)
        assert Counter(page_requests(internet)) == {(page, 200): 1 for page in PAGES}

        rows = table_rows(app.store.engine, captures)
        of_leads = [row for row in rows if row["lead_id"]]
        assert Counter(row["recipe"] for row in of_leads) == {"trial": 4, "second": 4}
        assert len({(row["pack"], row["start"]) for row in of_leads}) == 4
        origins = {row["id"]: row for row in of_leads}
        reused_rows = [row for row in of_leads if "same_as" in row["policy"]]
        assert len(reused_rows) == 4
        assert all(origins[row["policy"]["same_as"]]["sha256"] == row["sha256"] for row in reused_rows)
        document_rows = table_rows(app.store.engine, documents)
        assert Counter((row["recipe"], row["state"]) for row in document_rows) == {
            ("trial", State.KEPT): 4,
            ("second", State.KEPT): 4,
        }
        assert all(
            row["text"] and origins[row["capture_id"]]["lead_id"] == row["lead_id"] for row in document_rows
        )
        assert {row["state"] for row in table_rows(app.store.engine, leads)} == {State.DONE}

        # A third recipe comes an hour later: it asks whether the pages changed, and the bytes are not sent again.
        internet.clear_log()
        clock.shift = timedelta(hours=1, minutes=1)
        source = replace(recipe.sources[0], id=source_key("third", "seeds", "", "Third"), recipe="third")
        third_recipe = replace(recipe, name="third", sources=(source,))
        context.store.register(third_recipe.sources, context.clock())
        run(replace(context, recipes={"third": third_recipe}))
        assert Counter(page_requests(internet)) == {(page, 304): 1 for page in PAGES}
        assert len(table_rows(app.store.engine, documents, recipe="third", state=State.KEPT)) == 4


def test_a_capture_whose_bytes_are_gone_is_not_reused(tmp_path: Path):
    path = tmp_path / "seeds.csv"
    path.write_text(f"url\nhttp://mapped.example{PAGES[0]}\n")
    recipe = make_recipe(discover_seeds, make_source("seeds", "", options={"file": str(path)}))
    with running() as internet, context_for(tmp_path, internet.base_url, recipe) as (app, context):
        run(context)
        for pack in (tmp_path / "data" / "archive").rglob("*.warc.gz"):
            pack.unlink()
        run(with_second_recipe(context))
        assert page_requests(internet) == [(PAGES[0], 200)] * 2
        assert len(table_rows(app.store.engine, documents, recipe="second", state=State.KEPT)) == 1
