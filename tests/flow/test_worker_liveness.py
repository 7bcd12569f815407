"""The owner name of a worker shows whether the worker is still alive."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from tests.support.deadline import DEADLINE

from headwater.liveness import dead_owners, machine_id, owner_name
from headwater.runtime.worker_loop import StopSignal


def _send_owner_name(answers: "multiprocessing.Queue[str]") -> None:
    answers.put(owner_name("local"))


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def test_a_living_process_is_not_dead():
    assert dead_owners([owner_name("local")]) == []


def test_two_roles_of_one_process_have_two_names():
    assert owner_name("local") != owner_name("network")


def test_a_process_that_ended_is_dead():
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=_send_owner_name, args=(answers,))
    process.start()
    name = answers.get(timeout=DEADLINE)
    process.join(DEADLINE)
    assert dead_owners([name, owner_name("local")]) == [name]


def test_a_zombie_process_is_dead(sleeper: subprocess.Popen[bytes]):
    name = _name_of(sleeper.pid)
    assert dead_owners([name]) == []
    sleeper.kill()
    while os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT) is None:
        pass
    assert dead_owners([name]) == [name]


def test_a_later_process_with_the_same_number_is_another_owner(sleeper: subprocess.Popen[bytes]):
    host, number, birth, role = _name_of(sleeper.pid).split(":")
    earlier = f"{host}:{number}:{int(birth) - 1}:{role}"
    assert dead_owners([earlier]) == [earlier]


@pytest.mark.parametrize(
    "name", ["elsewhere.example:1:1:local", "laboratory", "", f"{machine_id()}:x:1:local"]
)
def test_owners_of_other_machines_and_unknown_names_are_not_dead(name: str):
    assert dead_owners([name]) == []


def _name_of(pid: int) -> str:
    from headwater.liveness import _start_time

    return f"{machine_id()}:{pid}:{_start_time(pid)}:local"


def test_a_copy_of_this_machine_with_the_same_name_is_another_machine():
    host, _, suffix = machine_id().partition("/")
    assert suffix, "the name of a host alone is not enough"
    assert dead_owners([f"{host}/00000000/1:999999:1:local", f"{host}:999999:1:local"]) == []


def test_a_process_whose_supervisor_was_killed_while_it_started_stops(monkeypatch: pytest.MonkeyPatch):
    """The process that forked it may still be there."""
    supervisors = iter([SimpleNamespace(is_alive=lambda: True), SimpleNamespace(is_alive=lambda: False)])
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: next(supervisors))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        assert [StopSignal().is_set(), StopSignal().is_set()] == [False, True]
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
