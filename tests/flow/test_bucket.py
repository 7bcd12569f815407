"""An installation whose archive is a bucket: everything that works with a folder works there too."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path

import msgspec
import obstore
import pytest
import yaml
from tests.flow.command_line import call
from tests.flow.test_backup_drill import bodies, everything
from tests.laboratory import Laboratory, laboratory
from tests.seaweed import Seaweed

from headwater.app import App
from headwater.cli.sweep import sweep_archive
from headwater.settings.archive import Archive
from headwater.worker.backup import back_up
from headwater.worker.health import check_health
from headwater.worker.restore import chosen_backup, restore
from headwater_demo import Internet, running

FEEDS = [("Ledger Lane", "http://ledgerlane.example/feed")]
numbers = count(1)


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as served:
        yield served


@pytest.fixture
def place(seaweed: Seaweed) -> Archive:
    return Archive(
        place=f"s3://installation/{next(numbers)}",
        endpoint=seaweed.endpoint,
        key=seaweed.key,
        secret=seaweed.secret,
    )


@pytest.fixture
def lab(tmp_path: Path, internet: Internet, place: Archive) -> Iterator[Laboratory]:
    with laboratory(tmp_path, internet, feeds=FEEDS) as made:
        made.__dict__["settings"] = msgspec.structs.replace(made.settings, archive=place)
        yield made


def test_a_run_is_archived_in_the_bucket_and_can_be_saved_restored_and_swept(lab: Laboratory, tmp_path: Path):
    lab.run()
    assert lab.unfinished() == {}
    raw = bodies(lab.app)
    assert raw
    assert not (tmp_path / "data" / "archive").exists()
    assert check_health(lab.app)["archive"] == "ok"
    saved = back_up(lab.app, tmp_path / "kept")
    assert saved.damaged == ()

    obstore.put(lab.app.archive.store, f"00/{'0' * 64}.warc", b"nobody speaks of it")
    later = App(lab.settings, clock=lambda: lab.clock() + timedelta(days=3650))
    assert sweep_archive(later, dry_run=False) == 1
    later.store.engine.dispose()
    assert bodies(lab.app) == raw

    elsewhere = msgspec.structs.replace(lab.settings.archive_place, place="s3://installation/restored")
    settings = msgspec.structs.replace(lab.settings, data=str(tmp_path / "other"), archive=elsewhere)
    other = App(settings, clock=lab.clock)
    restore(other, chosen_backup(tmp_path / "kept", None), force=False)
    assert everything(other.store.engine) == everything(lab.app.store.engine)
    assert bodies(other) == raw
    other.store.engine.dispose()


def test_verbs_say_what_is_wrong_with_a_bucket(
    place: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)

    def told(**changes: str) -> None:
        archive = {**msgspec.structs.asdict(place), **changes}
        Path("headwater.yaml").write_text(yaml.safe_dump({"data": "d", "archive": archive}), encoding="utf-8")

    told()
    assert call(capsys, monkeypatch, "init", "--json").record["places"]["archive"] == place.place
    told(secret="not-the-secret")
    refused = call(capsys, monkeypatch, "init")
    assert refused.code == 1
    assert "refuses this key" in refused.err
    assert "not-the-secret" not in refused.err
    answer = call(capsys, monkeypatch, "health", "--json")
    assert (answer.code, answer.record["archive"]) == (1, "archive_denied")
    told(endpoint="http://127.0.0.1:1")
    assert "its server answers" in call(capsys, monkeypatch, "init").err
