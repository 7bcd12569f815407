"""Keys of the HTTP API: stored as hashes, found by id, revoked for good; and who may do what with which key."""

from datetime import timedelta

import pytest
from sqlalchemy import Engine
from tests.flow.command_line import call_in
from tests.support.scene import START

from headwater.model.api_key import ID_BYTES, SECRET_BYTES, ApiKey, KeyScope, make_api_key
from headwater.model.errors import Refused
from headwater.store.changes.api_keys import ApiKeyStore
from headwater.web.problems import HttpProblem
from headwater.web.security.access import FAILURES_AT_ONCE, AccessControl, Caller
from headwater.web.security.token_bucket import TokenBuckets

LOCAL = {"host": "localhost:8080"}


def new_key(store: ApiKeyStore, scope: KeyScope, number: int = 1) -> str:
    text, key_id, secret_hash = make_api_key(bytes([number]) * (ID_BYTES + SECRET_BYTES))
    store.create(ApiKey(key_id, f"{scope.label} {number}", scope, START), secret_hash)
    return text


def status_of(
    access: AccessControl, scope: KeyScope, headers: dict[str, str], address: str = "10.0.0.7"
) -> int:
    try:
        access.admit(Caller(address, headers), scope)
    except HttpProblem as problem:
        return problem.status
    return 200


def test_a_key_is_found_until_it_is_revoked_and_its_secret_is_stored_nowhere(engine: Engine):
    store = ApiKeyStore(engine)
    text = new_key(store, KeyScope.READ)
    access = AccessControl(store.find)
    assert status_of(access, KeyScope.READ, {"authorization": f"Bearer {text}"}) == 200
    assert status_of(access, KeyScope.READ, {"x-api-key": text}) == 200
    assert status_of(access, KeyScope.READ, {"x-api-key": text[:-1]}) == 401
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM api_keys").all()
    assert text.rpartition("_")[2] not in str(rows)
    with pytest.raises(Refused, match="another name"):
        new_key(store, KeyScope.READ)
    store.revoke("read 1", START + timedelta(hours=1))
    assert status_of(access, KeyScope.READ, {"x-api-key": text}) == 401
    with pytest.raises(Refused, match="no key"):
        store.revoke("read 1", START)
    assert [key.revoked_at for key in store.list_keys()] == [START + timedelta(hours=1)]


def test_a_scope_includes_the_ones_before_it(engine: Engine):
    store = ApiKeyStore(engine)
    access = AccessControl(store.find, settings_key="the key of the settings")
    texts = {scope: new_key(store, scope) for scope in (KeyScope.READ,)}
    texts |= {scope: new_key(store, scope, scope.value) for scope in (KeyScope.OPERATE, KeyScope.ADMIN)}
    for own, text in texts.items():
        for needed in KeyScope:
            assert status_of(access, needed, {"x-api-key": text}) == (200 if own >= needed else 403)
    settings_key = {"x-api-key": "the key of the settings"}
    assert [status_of(access, scope, settings_key) for scope in KeyScope] == [200, 200, 403]


@pytest.mark.parametrize(
    ("address", "headers", "is_local", "status"),
    [
        ("127.0.0.1", LOCAL, True, 200),
        ("127.0.0.1", LOCAL, False, 401),
        ("10.0.0.7", LOCAL, True, 401),
        ("127.0.0.1", {"host": "news.example"}, True, 401),
        ("127.0.0.1", LOCAL | {"x-forwarded-for": "10.0.0.7"}, True, 401),
        ("127.0.0.1", LOCAL | {"x-api-key": "guessed"}, True, 401),
    ],
)
def test_only_a_program_on_this_machine_reads_without_a_key(address, headers, is_local, status):
    access = AccessControl(lambda _: None, is_local=is_local)
    assert status_of(access, KeyScope.READ, headers, address) == status
    assert status_of(access, KeyScope.OPERATE, headers, address) == 401


def test_who_guesses_keys_or_asks_too_often_has_to_wait(engine: Engine):
    store = ApiKeyStore(engine)
    text, now = new_key(store, KeyScope.READ), [0.0]
    access = AccessControl(store.find, monotonic=lambda: now[0], requests=TokenBuckets(1.0, 2.0))
    guesses = [
        status_of(access, KeyScope.READ, {"x-api-key": "hw_guess_ed"}) for _ in range(FAILURES_AT_ONCE + 1)
    ]
    assert guesses == [401] * FAILURES_AT_ONCE + [429]
    calls = [status_of(access, KeyScope.READ, {"x-api-key": text}) for _ in range(3)]
    assert calls == [200, 200, 429]
    now[0] += 1.0
    assert status_of(access, KeyScope.READ, {"x-api-key": text}) == 200


def test_keys_are_created_listed_and_revoked_by_command(tmp_path):
    assert call_in(tmp_path, "init").code == 0
    creation = call_in(tmp_path, "keys", "create", "dashboard", "--scope", "operate")
    assert creation.out.startswith("hw_")
    (row,) = call_in(tmp_path, "keys", "list", "--json").records
    assert (row["name"], row["scope"], row["revoked_at"]) == ("dashboard", "operate", None)
    assert creation.out.strip().rpartition("_")[2] not in str(row)
    assert call_in(tmp_path, "keys", "revoke", "dashboard").code == 0
    assert call_in(tmp_path, "keys", "revoke", "dashboard").code == 1
