"""No log line contains a secret, even when it reports an error with its variables."""

import json

import pytest

from headwater.logs import configure_logs
from headwater.runtime.celery.hints import HintSender
from headwater.settings.archive import ArchiveSettings
from headwater.settings.settings import Settings

SECRETS = ("pg-secret", "redis-secret", "s3-secret", "api-secret")


def test_c38_an_error_is_logged_as_json_without_the_values_of_variables(capsys: pytest.CaptureFixture[str]):
    settings = Settings(
        database="postgresql://u:pg-secret@db.example/h",
        redis="redis://:redis-secret@cache.example/0",
        archive=ArchiveSettings(place="s3://raw", key="k", secret="s3-secret"),
        api_key="api-secret",
    )
    hints = HintSender(settings.redis)

    def broken(_settings: Settings) -> None:
        raise RuntimeError("the database is newer than this program")

    try:
        broken(settings)
    except RuntimeError:
        configure_logs("json", "info").exception("something went wrong")
    logged = capsys.readouterr().err
    assert "the database is newer" in logged
    assert json.loads(logged)["exception"][0]["exc_type"] == "RuntimeError"
    assert not any(secret in logged for secret in SECRETS)
    assert "redis-secret" not in repr(hints)
