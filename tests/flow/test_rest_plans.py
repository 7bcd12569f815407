"""Every list of the API reads along an index, on both databases: no sorting, no scan of a whole table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, insert, text, update
from tests.support.api_installation import NOW, api_client, fill, installation, page_client

from headwater.store.schema.flow import stories

LISTS = (
    "/documents",
    "/documents?state=quarantined&since=2026-11-01",
    "/documents?language=en",
    "/documents?sort=published",
    "/documents?sort=updated",
    "/documents?sort=published&direction=asc",
    "/documents?source=SOURCE",
    "/captures",
    "/stories",
    "/stories?sort=heat",
    "/stories?sort=size&direction=asc",
    "/stories?sort=first",
    "/quarantine?direction=asc",
    "/quarantine?sort=reason",
    "/quarantine?sort=recipe&direction=asc",
    "/quarantine?reason=too_deep",
    "/alarms",
    "/runs?sort=failed",
    "/runs?sort=entries&direction=asc",
    "/sources/SOURCE/polls",
)
CURSOR_LISTS = ("/documents?limit=1", "/captures?limit=1", "/documents?sort=published&direction=asc&limit=1")
SCORES = (0.7, None, 0.2, None, 0.7)


@pytest.fixture
def statements(engine: Engine) -> Iterator[list[tuple[str, Any]]]:
    seen_statements: list[tuple[str, Any]] = []

    def note(connection, cursor, statement, parameters, *_):
        if statement.lstrip().upper().startswith("SELECT") and "LIMIT" in statement:
            seen_statements.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    yield seen_statements
    event.remove(Engine, "before_cursor_execute", note)


def plan_of(engine: Engine, statement: str, parameters: Any) -> str:
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            # A table of three rows is always scanned: the question is whether the index could be used.
            for setting in ("enable_seqscan", "enable_sort", "enable_bitmapscan"):
                connection.execute(text(f"SET LOCAL {setting} = off"))
        words = "EXPLAIN" if engine.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
        rows = connection.exec_driver_sql(f"{words} {statement}", parameters).all()
    return "\n".join(str(row[-1]) for row in rows)


def test_every_list_is_read_along_an_index(engine: Engine, statements: list[tuple[str, Any]], tmp_path: Path):
    url = engine.url.render_as_string(hide_password=False)
    with installation(tmp_path, url) as app:
        fill(app)
        source = app.catalogue.sources()[0]["id"]
        with api_client(app) as client:
            paths = [f"/api/v1{path.replace('SOURCE', source)}" for path in LISTS]
            for path in CURSOR_LISTS:
                cursor = client.get(f"/api/v1{path}").json()["next"]
                paths.append(f"/api/v1{path}&cursor={cursor}")
            for path in paths:
                statements.clear()
                assert client.get(path).status_code == 200
                assert statements, path
                plans = [plan_of(app.store.engine, *statement) for statement in statements]
                for plan in plans:
                    assert "TEMP B-TREE" not in plan, (path, plan)
                    assert "SCAN" not in plan.replace("Index Scan", "").upper().replace(
                        "INDEX ONLY SCAN", ""
                    ), (path, plan)
                    assert "Sort" not in plan, (path, plan)


def test_stories_are_listed_by_country(engine: Engine, tmp_path: Path):
    with installation(tmp_path, engine.url.render_as_string(hide_password=False)) as app:
        fill(app)
        with app.store.engine.begin() as connection:
            changes = {"attributes": {"countries": ["BR", "PT"]}, "last_at": NOW}
            connection.execute(update(stories).values(**changes))
        with page_client(app) as client:
            counts = {
                code: len(client.get(f"/stories.json?country={code}").json()["stories"])
                for code in ("PT", "DK", "P")
            }
            assert "Country: Portugal" in client.get("/stories?country=PT").text
    assert counts == {"PT": 1, "DK": 0, "P": 0}


@pytest.mark.parametrize("direction", ["desc", "asc"])
def test_pages_of_a_sorted_list_show_every_record_once_and_those_without_a_value_last(
    engine: Engine, tmp_path: Path, direction: str
):
    with installation(tmp_path, engine.url.render_as_string(hide_password=False)) as app:
        fill(app)
        with app.store.engine.begin() as connection:
            row = dict(connection.execute(stories.select()).mappings().one())
            more = [row | {"id": f"{number:040}", "score": score} for number, score in enumerate(SCORES)]
            connection.execute(insert(stories), more)
        with api_client(app) as client:
            items: list[dict[str, Any]] = []
            path = f"/api/v1/stories?sort=heat&direction={direction}&limit=2"
            cursor = ""
            while cursor is not None:
                page = client.get(f"{path}&cursor={cursor}").json()
                items += page["items"]
                cursor = page["next"]
            other = client.get(f"/api/v1/stories?sort=size&cursor={client.get(path).json()['next']}")
    sign = -1 if direction == "desc" else 1
    scored = sorted(((0.5, "5" * 40), *((s, f"{n:040}") for n, s in enumerate(SCORES) if s is not None)))
    unscored = sorted((None, f"{n:040}") for n, s in enumerate(SCORES) if s is None)
    assert [(item["score"], item["id"]) for item in items] == [*scored[::sign], *unscored[::sign]]
    assert other.status_code == 400
