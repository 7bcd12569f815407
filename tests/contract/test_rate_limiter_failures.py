"""A rate limiter whose clock, file or disk fails: limits hold, and it recovers by itself."""

import asyncio
import os
import sqlite3
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from tests.contract.test_rate_limiter import START, ask, demand, host, rate_limiter, send

from headwater.fetch.politeness.admission import Admission
from headwater.fetch.politeness.quotas import Go, Quota, Slots, Wait
from headwater.fetch.politeness.rate_limiter import MEMORY, MemoryRateLimiter
from headwater.fetch.politeness.rate_limiter_file import FileRateLimiter
from headwater.model.errors import Refused, Temporary

__all__ = ["rate_limiter"]


def test_p7_a_clock_that_is_set_back_takes_what_was_sent_along(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    back = START - 3600
    assert ask(rate_limiter, demand("b", host()), back) == Wait(
        back + 1, "host:ledgerlane.example", is_planned=True
    )
    assert ask(rate_limiter, demand("b", host()), back + 1) == Go()


def test_a_clock_that_is_set_back_does_not_make_a_block_longer(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    rate_limiter.block_until(["host:ledgerlane.example"], START + 100)
    day = START - 86_400
    assert ask(rate_limiter, demand("b", host()), day) == Wait(
        day + 100, "host:ledgerlane.example", is_planned=True
    )


def test_r32_a_clock_that_is_set_back_does_not_renew_a_budget(rate_limiter):
    budget = Quota("credential:news", 3, 60.0)
    for number in range(3):
        send(rate_limiter, demand(f"a{number}", budget), START + number)
    decision = ask(rate_limiter, demand("b", budget), START - 500)
    assert isinstance(decision, Wait)
    assert decision.until == START - 500 + 58


def test_a_clock_that_is_corrected_by_a_little_changes_nothing(rate_limiter):
    send(rate_limiter, demand("a", host()), START)
    assert ask(rate_limiter, demand("b", host()), START - 0.5) == Wait(
        START + 1, "host:ledgerlane.example", is_planned=True
    )


def written_file(path: Path) -> bytes:
    sound = FileRateLimiter(path)
    sound.reserve([demand(str(number), host(f"{number}.example")) for number in range(300)], time.time)
    sound.close()
    return path.read_bytes()


DAMAGES = {
    "noise": lambda data: os.urandom(5000),
    "text": lambda data: b"not a database " * 100,
    "cut short": lambda data: data[: len(data) // 2],
    "only a head": lambda data: data[:100],
    "a hole": lambda data: data[:4096] + b"\xff" * 8192 + data[12288:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_put_aside_and_no_request_leaves_until_its_limits_have_passed(tmp_path, damage):
    path = tmp_path / "rate-limits.db"
    path.write_bytes(DAMAGES[damage](written_file(path)))
    anew = FileRateLimiter(path)
    now = time.time()
    waiting = ask(anew, demand("a", host()), now)
    assert isinstance(waiting, Wait)
    assert MEMORY - 30 < waiting.until - now <= MEMORY
    assert ask(anew, demand("a", host()), now + MEMORY + 1) == Go()
    anew.close()
    assert (tmp_path / "rate-limits.db.damaged").exists()


def test_a_file_of_another_shape_is_put_aside(tmp_path):
    path = tmp_path / "rate-limits.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE requests (key TEXT)")
    other.close()
    anew = FileRateLimiter(path)
    assert isinstance(ask(anew, demand("a", host()), time.time()), Wait)
    anew.close()


def test_one_of_many_processes_puts_a_damaged_file_aside(tmp_path):
    path = tmp_path / "rate-limits.db"
    path.write_bytes(b"not a database " * 100)
    opened: list[FileRateLimiter] = []
    threads = [threading.Thread(target=lambda: opened.append(FileRateLimiter(path))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 6
    now = time.time() + MEMORY + 1
    send(opened[0], demand("a", host()), now)
    assert all(isinstance(ask(other, demand("b", host()), now), Wait) for other in opened[1:])
    for limiter in opened:
        limiter.close()


def test_a_file_that_is_damaged_in_use_is_opened_anew(tmp_path):
    path = tmp_path / "rate-limits.db"
    written_file(path)
    used = FileRateLimiter(path)
    used._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    used._database.execute("PRAGMA cache_size = 0")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 65536)
    crowd = [demand(str(number), host(f"{number}.example")) for number in range(300)]
    with pytest.raises(Temporary):
        used.reserve(crowd, time.time)
    assert isinstance(ask(used, demand("a", host()), time.time()), Wait)
    assert ask(used, demand("a", host()), time.time() + MEMORY + 1) == Go()
    used.close()


@pytest.mark.parametrize("place", ["folder", "no/such/folder/rate-limits.db"])
def test_a_path_that_cannot_hold_a_file_is_reported(tmp_path, place):
    (tmp_path / "folder").mkdir()
    with pytest.raises(Refused, match="cannot use"):
        FileRateLimiter(tmp_path / place)


def test_a_full_disk_stops_requests_only_until_there_is_space(tmp_path):
    full = FileRateLimiter(tmp_path / "rate-limits.db")
    (pages,) = full._database.execute("PRAGMA page_count").fetchone()
    full._database.execute(f"PRAGMA max_page_count = {pages}")
    crowd = [demand(str(number), host(f"{number}.example")) for number in range(2000)]
    for _ in range(2):
        with pytest.raises(Temporary, match="full"):
            full.reserve(crowd, time.time)
    full._database.execute("PRAGMA max_page_count = 1000000")
    assert set(full.reserve(crowd, time.time)) == {Go()}
    full.close()


class UnreliableLimiter(MemoryRateLimiter):
    """Cannot be asked while it is in a mood."""

    def __init__(self) -> None:
        super().__init__()
        self.moody = False

    def reserve(self, demands, clock):
        self._check()
        return super().reserve(demands, clock)

    def report_done(self, leases, now):
        self._check()
        super().report_done(leases, now)

    def block_until(self, keys, until):
        self._check()
        super().block_until(keys, until)

    def _check(self) -> None:
        if self.moody:
            raise Temporary("rate_limiter_unavailable", "the disk is full")


def test_reports_that_fail_are_sent_again_later(monkeypatch):
    monkeypatch.setattr("headwater.fetch.politeness.admission._UNAVAILABLE_PAUSE", 0.01)
    one_place = (Slots("host:a.example", 1),)

    async def scene() -> tuple[bool, float]:
        rate_limiter = UnreliableLimiter()
        admission = Admission(rate_limiter, lambda: START, timedelta(seconds=2))
        first = demand("first", slots=one_place)
        await admission.admit(first)
        rate_limiter.moody = True
        admission.report_done(first)
        admission.block_until(["host:b.example"], START + 50)
        await asyncio.sleep(0.05)
        rate_limiter.moody = False
        await asyncio.gather(*admission.own_tasks())
        free = ask(rate_limiter, demand("second", slots=one_place), START) == Go()
        blocked_until = ask(rate_limiter, demand("third", host("b.example")), START)
        await admission.close()
        assert isinstance(blocked_until, Wait)
        return free, blocked_until.until

    assert asyncio.run(scene()) == (True, START + 50)


def test_closing_does_not_wait_for_a_rate_limiter_that_stays_unavailable():
    async def scene() -> None:
        rate_limiter = UnreliableLimiter()
        admission = Admission(rate_limiter, lambda: START, timedelta(seconds=2))
        first = demand("first", host())
        await admission.admit(first)
        rate_limiter.moody = True
        admission.report_done(first)
        await admission.close()
        assert admission.own_tasks() == set()

    asyncio.run(asyncio.wait_for(scene(), 30))
