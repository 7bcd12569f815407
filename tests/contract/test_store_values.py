"""Values are read back as they were written: hostile text, odd moments, nested JSON, on both databases."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DatabaseError, IntegrityError
from tests.support.scene import HOUR, START, Scene, kept_result, make_lead, make_source

from headwater.model.document import FactValue
from headwater.model.errors import Refused, Temporary
from headwater.model.jobs import Task
from headwater.store.connect import connect, read_transaction, write_transaction
from headwater.store.migrate import migrate
from headwater.store.schema.flow import leads, sources

HOSTILE = [
    "nul \x00 inside",
    "lone surrogate \ud800 inside",
    "\x01\x02\x1b[31m",
    "'; DROP TABLE documents; --",
    "\\u0000 written out",
    "🜁 " + "á" * 500,
    "\u202eright to left\u202c",
]


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_stored_and_only_what_no_database_holds_is_replaced(scene: Scene, words: str):
    stored_words = words.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    lead = scene.lead("a", title=words, hints={"guid": words, words: [words, {"deep": words}]}, version=words)
    scene.poll(lead, detail=words, warnings=(words,), watermark={"etag": words})
    (stored,) = scene.claim(Task.FETCH)
    assert (stored.lead.title, stored.lead.version) == (stored_words, stored_words)
    assert stored.lead.hints == {"guid": stored_words, stored_words: [stored_words, {"deep": stored_words}]}
    assert scene.row(sources)["watermark"] == {"etag": stored_words}
    scene.store.release(["me"], counts=False)
    scene.fetch(lead)
    (draft,) = scene.claim(Task.REFINE)
    scene.refine(kept_result(draft, text=words, attributes={"x": words}, facts={"f": FactValue(words)}))
    document = scene.store.documents([draft.id])[draft.id]
    assert (document.text, document.attributes) == (stored_words, {"x": stored_words})


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 3, 29, 1, 30, 0, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    ],
)
def test_a_moment_is_read_back_in_utc_to_the_microsecond(scene: Scene, moment: datetime):
    scene.poll(scene.lead("a", published=moment))
    (stored,) = scene.claim(Task.FETCH)
    assert stored.lead.published == moment
    assert stored.lead.published.utcoffset() == timedelta(0)


def test_the_two_moments_that_a_clock_shows_when_it_goes_back_stay_an_hour_apart(scene: Scene):
    summer = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Vienna"))
    scene.poll(scene.lead("a", published=summer), scene.lead("b", published=summer.replace(fold=1)))
    stored = sorted(lead.lead.published for lead in scene.claim(Task.FETCH))
    assert stored == [datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)]


def test_moments_sort_by_time_whatever_their_zone(scene: Scene):
    east = START.astimezone(timezone(timedelta(hours=14)))
    scene.poll(scene.lead("late"), due_at=START + timedelta(microseconds=1))
    with write_transaction(scene.store.engine) as connection:
        connection.execute(leads.update().values(due_at=east))
    scene.now = START - timedelta(microseconds=1)
    assert scene.claim(Task.FETCH) == []
    scene.now = START
    assert len(scene.claim(Task.FETCH)) == 1


def _write_half(scene: Scene) -> None:
    with write_transaction(scene.store.engine) as connection:
        connection.execute(sources.update().values(name="half"))
        connection.execute(sources.update().values(credibility=None))


def test_a_transaction_that_fails_leaves_nothing(scene: Scene):
    scene.store.register([scene.source], START)
    with pytest.raises(IntegrityError):
        _write_half(scene)
    assert scene.row(sources)["name"] == "Wire"


def test_a_read_transaction_sees_one_state(scene: Scene):
    scene.store.register([scene.source], START)
    count = text("SELECT count(*) FROM leads")
    with read_transaction(scene.store.engine) as connection:
        before = connection.scalar(count)
        scene.poll(scene.lead("a"))
        assert connection.scalar(count) == before == 0
    with read_transaction(scene.store.engine) as connection:
        assert connection.scalar(count) == 1


def test_an_error_message_contains_no_data(scene: Scene):
    with (
        pytest.raises((Temporary, DatabaseError)) as caught,
        write_transaction(scene.store.engine) as connection,
    ):
        connection.execute(text("SELECT secret FROM nowhere WHERE x = :x"), {"x": "very private"})
    assert "very private" not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://u:hush@h/d", "nonsense", "postgresql://u:hush@h:port/d", ""])
def test_an_invalid_address_is_refused_without_its_password(url: str):
    with pytest.raises(Refused) as refused:
        connect(url)
    assert refused.value.reason == "bad_database"
    assert "hush" not in str(refused.value)


def test_a_database_that_is_not_there_is_temporary_and_keeps_its_password(tmp_path):
    engine = connect("postgresql://u:hush@127.0.0.1:1/d")
    with pytest.raises(Temporary) as caught, read_transaction(engine):
        pass
    assert (caught.value.reason, caught.value.counts) == ("database_unavailable", False)
    assert "hush" not in str(caught.value)
    with pytest.raises(Temporary), read_transaction(connect(f"sqlite:///{tmp_path}/no/such/folder/x.db")):
        pass


def test_a_file_that_is_not_a_database_is_refused(tmp_path):
    path = tmp_path / "headwater.db"
    path.write_bytes(b"this is not a database, it only says so " * 100)
    with pytest.raises(Refused) as refused, read_transaction(connect(f"sqlite:///{path}")):
        pass
    assert refused.value.reason == "database_damaged"


def test_a_full_disk_under_the_database_is_temporary_and_leaves_nothing(tmp_path, open_store):
    scene = Scene(open_store(f"sqlite:///{tmp_path / 'small.db'}"))
    migrate(scene.store.engine)
    scene.store.register([scene.source], START)

    @event.listens_for(scene.store.engine, "connect")
    def _limit(connection, record) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages + 2}")

    scene.store.engine.dispose()
    with pytest.raises(Temporary) as caught:
        scene.poll(*(scene.lead(f"n{i}", hints={"x": "y" * 5000}) for i in range(50)))
    assert (caught.value.reason, caught.value.counts) == ("disk_full", False)
    assert scene.count(leads) == 0


def test_r71_what_every_source_said_about_a_document_is_returned(scene: Scene):
    other = make_source("Post")
    first = scene.lead("a", hints={"summary": "Short.", "tags": ["x"]})
    second = make_lead("p", source=other, url=first.lead.url, hints={"description": "A longer word on it."})
    scene.poll(first)
    scene.fetch(first)
    scene.now += HOUR
    scene.poll(second, source=other)
    source_hints = scene.store.source_hints([first.document, "unknown"])
    assert source_hints == {
        first.document: [
            {"title": "A", "summary": "Short.", "tags": ["x"]},
            {"title": "P", "description": "A longer word on it."},
        ]
    }
    assert scene.store.source_hints([]) == {}
