"""Listing, renewing and releasing leases reads an index of the leased rows and nothing more."""

from datetime import timedelta
from typing import Any

from sqlalchemy import text
from tests.contract.test_store_lookups import planned, recorded_statements
from tests.support.scene import START, Scene

from headwater.store.changes.operations import Operations
from headwater.store.claims.leases import TASK_TABLES
from headwater.store.connect import read_transaction

LATER = START + timedelta(hours=1)


def ask(scene: Scene) -> None:
    scene.store.lease_owners()
    scene.store.release(["worker", "another worker"], counts=True)
    scene.store.release(["worker"], counts=False)
    for task in TASK_TABLES:
        scene.store.renew(task, "worker", LATER)
    Operations(scene.store.engine).release_expired_leases(START)


def test_what_is_held_is_found_through_an_index_of_what_is_held(scene: Scene):
    scene.drafts(*(f"page-{number}" for number in range(30)))
    engine = scene.store.engine
    with recorded_statements(engine) as statements:
        ask(scene)
    lease_statements = [(statement, values) for statement, values in statements if "lease_owner" in statement]
    assert len(lease_statements) == 5 * len(TASK_TABLES)
    for statement, values in lease_statements:
        assert "_lease_owner" in plan(scene, statement, values), statement


def plan(scene: Scene, statement: str, values: Any) -> str:
    """The indexes of which a plan makes use are named in it. Of tables with few rows PostgreSQL takes any index; so that
    of what waits, which grows, is taken away for as long as it is asked."""
    with read_transaction(scene.store.engine) as connection:
        if connection.dialect.name == "postgresql":
            with connection.begin_nested() as asking:
                for table in TASK_TABLES.values():
                    connection.execute(text(f"DROP INDEX ix_{table.name}_due"))
                plan_rows = str(planned(connection, statement, values))
                asking.rollback()
            return plan_rows
        plan_rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        return "\n".join(row[3] for row in plan_rows)
