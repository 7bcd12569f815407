"""Sessions of the web pages as rows, on both databases."""

from datetime import timedelta

from sqlalchemy import Engine
from tests.support.scene import START

from headwater.store.changes.sessions import LONGEST_SESSION, SessionStore


def test_a_session_lasts_two_weeks_and_ends_alone_or_with_all_of_its_key(engine: Engine):
    store = SessionStore(engine)
    for session, key in (("first", "maria"), ("second", "maria"), ("other", "jon")):
        store.begin(session, key, START)
    assert store.find_key("first", START + LONGEST_SESSION) == "maria"
    assert store.find_key("first", START + LONGEST_SESSION + timedelta(seconds=1)) is None
    store.end("first")
    assert store.find_key("first", START) is None
    assert store.end_all("maria") == 1
    assert (store.find_key("second", START), store.find_key("other", START)) == (None, "jon")


def test_a_new_session_replaces_that_of_the_browser_and_old_rows_go(engine: Engine):
    store = SessionStore(engine)
    store.begin("old", "maria", START)
    store.begin("planted", "mallory", START + timedelta(days=1))
    store.begin("new", "maria", START + timedelta(days=15), replaced="planted")
    now = START + timedelta(days=1)
    assert [store.find_key(name, now) for name in ("old", "planted", "new")] == [None, None, "maria"]
