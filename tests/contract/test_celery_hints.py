"""Messages are hints: few, in JSON, never two waiting messages of a kind, on a real broker."""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.servers.loopback import free_port
from tests.servers.valkey import Valkey

from headwater.model.errors import Refused, Temporary
from headwater.model.jobs import Job, Task
from headwater.runtime.celery import hints as module
from headwater.runtime.celery.broker import LONGEST_JOB, WORK_TASK, broker_address, celery_for
from headwater.runtime.celery.hints import HintSender
from headwater.runtime.celery.queues import MAINTENANCE_QUEUE, worker_roles
from headwater.runtime.celery.tasks import NETWORK_SECONDS, TaskRunner, parse_job, register_tasks
from headwater.settings.settings import Settings

REFINE = Job("crypto", Task.REFINE)
QUEUE = "headwater.crypto.refine"


@pytest.fixture
def hints(valkey: Valkey) -> Iterator[HintSender]:
    sender = HintSender(valkey.url)
    yield sender
    sender.close()


def test_a_hint_names_its_job_in_json(hints: HintSender, valkey: Valkey):
    assert hints.send(REFINE)
    with valkey.client() as client:
        (message,) = client.lrange(QUEUE, 0, -1)
    body = json.loads(message)
    assert body["content-type"] == "application/json"
    assert body["headers"]["task"] == WORK_TASK
    assert json.loads(base64.b64decode(body["body"]))[:2] == [[], {"recipe": "crypto", "task": "refine"}]


def test_a_queue_holds_one_hint_of_a_kind(hints: HintSender, valkey: Valkey):
    assert [hints.send(REFINE) for _ in range(3)] == [True, False, False]
    assert hints.send(Job("crypto", Task.FETCH))
    assert hints.send(Job("markets", Task.REFINE))
    assert [hints.send_maintenance(), hints.send_maintenance()] == [True, False]
    with valkey.client() as client:
        assert (client.llen(QUEUE), client.llen(MAINTENANCE_QUEUE)) == (1, 1)


def test_another_hint_may_follow_soon_after_one_was_taken(hints: HintSender, valkey: Valkey):
    assert hints.send(REFINE)
    with valkey.client() as client:
        client.delete(QUEUE)
        hints.acknowledge(QUEUE)
        assert not hints.send(REFINE)
        assert 0 < client.pttl(f"{QUEUE}:hinted") <= module.SPACING / timedelta(milliseconds=1)


def test_a_lost_hint_is_sent_again_and_a_waiting_one_is_not(
    hints: HintSender, valkey: Valkey, monkeypatch: pytest.MonkeyPatch
):
    assert hints.send(REFINE)
    with valkey.client() as client:
        assert 0 < client.ttl(f"{QUEUE}:hinted") <= module.LOST_AFTER.total_seconds()
        client.delete(f"{QUEUE}:hinted")  # as if that time had passed
        assert not hints.send(REFINE)
        client.flushall()  # the server lost everything
    assert hints.send(REFINE)


def test_a_broker_that_is_away_raises_one_kind_of_error_until_it_is_back():
    hints = HintSender(f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(Temporary, match="redis_unavailable"):
        hints.send(REFINE)
    hints.close()


def test_c34_json_utc_late_acknowledgement_prefetch_one_and_three_retries_after_a_minute():
    celery = celery_for("redis://localhost:6379/0")
    (role,) = worker_roles("refine", ["crypto"], 1)
    register_tasks(celery, TaskRunner(Settings(), role, HintSender("redis://localhost:6379/0")))
    rules = celery.conf
    assert (rules.task_serializer, rules.accept_content) == ("json", ["json"])
    assert (rules.enable_utc, rules.timezone) == (True, "UTC")
    assert (rules.task_acks_late, rules.task_reject_on_worker_lost) == (True, True)
    assert rules.worker_prefetch_multiplier == 1
    task = celery.tasks[WORK_TASK]
    assert (task.max_retries, task.default_retry_delay) == (3, 60)
    assert task.autoretry_for == (Temporary,)
    assert task.ignore_result
    assert rules.result_backend is None


def test_a_message_is_not_redelivered_while_its_job_may_still_run():
    options = celery_for("redis://localhost:6379/0").conf
    assert options.broker_transport_options["visibility_timeout"] > options.task_time_limit == LONGEST_JOB
    assert NETWORK_SECONDS < LONGEST_JOB
    assert options.broker_transport_options["unacked_restore_interval"] == 2
    assert options.broker_transport_options["unacked_restore_throttle"] == 1
    assert options.worker_max_memory_per_child < 512 * 1024
    assert options.worker_max_tasks_per_child > 0


def test_c38_a_broker_over_tls_must_show_a_certificate():
    assert celery_for("rediss://broker.example:6379/0").conf.broker_use_ssl["ssl_cert_reqs"].name == (
        "CERT_REQUIRED"
    )


@pytest.mark.parametrize("task", ["mow", "", "REFINE"])
def test_a_message_that_makes_no_sense_is_refused(task: str):
    with pytest.raises(Refused):
        parse_job("crypto", task)


def test_a_message_may_name_rows():
    assert parse_job("crypto", "refine", ["a", "b"]) == Job("crypto", Task.REFINE, ("a", "b"))


def test_the_address_comes_from_the_settings_and_its_password_into_no_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BROKER", "redis://:secret@localhost:6379/0")
    assert broker_address(Settings(redis="env:BROKER")) == "redis://:secret@localhost:6379/0"
    with pytest.raises(Refused, match="no_broker"):
        broker_address(Settings())
    monkeypatch.setenv("BROKER", "http://:secret@localhost")
    with pytest.raises(Refused) as refused:
        broker_address(Settings(redis="env:BROKER"))
    assert "secret" not in str(refused.value)
