"""An upgrade while workers run: the previous version goes on beside the new one, and nothing is lost or done twice.

Nothing is released yet, so the previous version is made here: a database without the heartbeats of workers, and a worker that
knows nothing of them. It speaks to the rows as every version does, through claims and leases.
"""

import shutil
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.deadline import DEADLINE
from tests.support.scene import LEASE, RECIPE, Scene, kept_result

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.jobs import Claim, Job, State, Task
from headwater.runtime.heartbeat import Heartbeat
from headwater.settings.settings import Settings
from headwater.store import migrate as migrations
from headwater.store.changes.workers import WorkerProcess
from headwater.store.migrate import HEAD, migrate
from headwater.store.schema.flow import documents
from headwater.store.sql_store import SqlStore

pytestmark = pytest.mark.usefixtures("alembic")
NUMBER = 60
NEW = WorkerProcess(id="new/b/1:1:1:n", role="local", host="new", pid=1, version="2")
UPGRADE = """
from alembic import op
import sqlalchemy as sa

revision, down_revision, branch_labels, depends_on = "0003", "0002", None, None


def upgrade():
    columns = [sa.Column(name, sa.Text(), nullable=False) for name in ("role", "host", "version", "started_at")]
    time = sa.DateTime(timezone=True) if op.get_bind().dialect.name == "postgresql" else sa.Text()
    op.drop_table("workers", if_exists=True)
    op.create_table("workers", sa.Column("id", sa.Text(), primary_key=True), sa.Column("pid", sa.Integer()),
                    *columns[:3], sa.Column("started_at", time), sa.Column("heartbeat_at", time))
    {more}
"""
Upgrade = Callable[[str], None]


@pytest.fixture
def new_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Upgrade:
    """Call it, and from then on this program is the next version."""

    def install(more: str) -> None:
        shutil.copytree(migrations.MIGRATIONS, tmp_path / "migrations")
        script = UPGRADE.replace("{more}", more)
        (tmp_path / "migrations" / "versions" / "0003_next.py").write_text(script, encoding="utf-8")
        monkeypatch.setattr(migrations, "MIGRATIONS", tmp_path / "migrations")
        monkeypatch.setattr(migrations, "HEAD", "0003")

    return install


@dataclass
class TrialWorker:
    """Refines until nothing is due. It stops in the middle, with its leases, until `go_on` is set."""

    store: SqlStore
    owner: str
    scene: Scene
    finished: list[str] = field(default_factory=list)
    holding: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while drafts := self.store.claim_documents(
            Claim(Job(RECIPE, Task.REFINE), self.owner, self.scene.now, 10, LEASE)
        ):
            self.holding.set()
            assert self.go_on.wait(DEADLINE)
            results = [kept_result(draft) for draft in drafts]
            self.store.finish_refine(results, self.owner, self.scene.now, LEASE)
            self.finished += [draft.id for draft in drafts]


def test_old_and_new_workers_share_a_database_during_an_upgrade(
    empty_database: str, tmp_path: Path, new_version: Upgrade, open_store: Callable[[str], SqlStore]
):
    old_store = open_store(empty_database)
    migrate(old_store.engine)
    with old_store.engine.begin() as connection:
        connection.execute(text("DROP TABLE workers"))  # as the version before
    scene = Scene(old_store)
    leads = [scene.lead(str(number)) for number in range(NUMBER)]
    scene.poll(*leads)
    scene.fetch(*leads)
    old = TrialWorker(old_store, "old/b/1:1:1:local", scene)
    thread = threading.Thread(target=old.run)
    thread.start()
    assert old.holding.wait(DEADLINE)  # it holds leases when the upgrade begins

    new_version("pass")
    app = App(Settings(data=str(tmp_path / "data"), database=empty_database), clock=lambda: scene.now)
    assert app.store  # the first process of the new version upgrades
    heartbeat = Heartbeat(app, NEW)
    heartbeat.tick()
    assert heartbeat.tick() == 0  # an owner without a heartbeat is not judged
    new = TrialWorker(app.store, f"{NEW.id}:local", scene)
    new.go_on.set()
    new.run()  # meanwhile the old one still holds its batch
    old.go_on.set()
    thread.join(DEADLINE)

    assert Counter(old.finished + new.finished) == Counter(row["id"] for row in scene.rows(documents))
    assert (len(old.finished), len(new.finished)) == (10, NUMBER - 10)
    assert {row["state"] for row in scene.rows(documents)} == {State.KEPT}
    assert old_store.lease_owners() == set()
    app.store.engine.dispose()


@pytest.mark.parametrize("is_compatible", [True, False])
def test_after_a_rollback_the_previous_version_works_only_if_the_upgrade_took_nothing_away(
    empty_database: str,
    new_version: Upgrade,
    open_store: Callable[[str], SqlStore],
    monkeypatch: pytest.MonkeyPatch,
    is_compatible: bool,
):
    engine = open_store(empty_database).engine
    with monkeypatch.context() as patched:
        migrate(engine)
        raised = "op.execute(\"UPDATE database_identity SET oldest_program = '0003'\")"
        new_version("pass" if is_compatible else raised)
        assert migrate(engine) is True
        patched.undo()
    monkeypatch.undo()
    assert migrations.HEAD == HEAD == "0002"
    if is_compatible:
        assert migrate(engine) is False
    else:
        with pytest.raises(Refused, match="restore the backup from before the upgrade"):
            migrate(engine)
