"""No secret in a log, whatever goes wrong and however much a line tells."""

import json

import pytest

from headwater.logs import configure_logs
from headwater.runtime.celery.hints import HintSender
from headwater.settings.archive import ArchiveSettings
from headwater.settings.settings import Settings

SECRETS = ("pg-secret", "redis-secret", "s3-secret", "api-secret")


def test_c38_an_error_is_told_in_json_without_what_the_variables_held(capsys: pytest.CaptureFixture[str]):
    settings = Settings(
        database="postgresql://u:pg-secret@db.example/h",
        redis="redis://:redis-secret@cache.example/0",
        archive=ArchiveSettings(place="s3://raw", key="k", secret="s3-secret"),
        api_key="api-secret",
    )
    hints = HintSender(settings.redis)

    def broken(told: Settings) -> None:
        raise RuntimeError("the database is newer than this program")

    try:
        broken(settings)
    except RuntimeError:
        configure_logs("json", "info").exception("something went wrong")
    told = capsys.readouterr().err
    assert "the database is newer" in told
    assert json.loads(told)["exception"][0]["exc_type"] == "RuntimeError"
    assert not any(secret in told for secret in SECRETS)
    assert "redis-secret" not in repr(hints)
