"""A wrong address of a server is refused in one sentence, without any part of its password."""

import pytest

from headwater.model.errors import Refused
from headwater.redis_client import check_redis_url
from headwater.store.connect import connect


@pytest.mark.parametrize("url", ["redis://:secret@127.0.0.1:bad/0", "redis://:secret@[::1/0", "redis://h:0"])
def test_a_wrong_port_of_redis_is_refused(url: str):
    with pytest.raises(Refused) as refusal:
        check_redis_url(url, "redis")
    assert "secret" not in refusal.value.detail


def test_a_password_with_an_at_sign_is_not_taken_for_the_host():
    with pytest.raises(Refused) as refusal:
        connect("postgresql://u:front@back@127.0.0.1:1/x")
    assert "%40" in refusal.value.detail
    assert "back" not in refusal.value.detail
