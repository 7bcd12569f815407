"""The demo internet in its own process."""

import json
import signal
import subprocess
import sys

import pytest
from tests.support.deadline import DEADLINE

from headwater_demo.internet import running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_process_prints_its_address_and_stops_on_a_signal(number):
    command = [sys.executable, "-m", "headwater_demo", "--port", "0", "--size", "small"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        announcement = json.loads(child.stdout.readline())
        child.send_signal(number)
        out, err = child.communicate(timeout=DEADLINE)
    assert announcement["base_url"].startswith("http://127.0.0.1:")
    assert "ledgerlane.example" in announcement["hosts"]
    assert (child.returncode, out, err) == (0, "", "")


def test_thread_and_process_serve_the_same_bytes():
    with running(process=True) as outside, running() as inside:
        for url in (
            "http://ledgerlane.example/",
            "http://tokentribune.example/feed.json",
            "http://oddfeeds.example/truncated.xml",
        ):
            assert outside.get(url) == inside.get(url)
        assert outside.truth() == inside.truth()
        assert outside.hosts == inside.hosts


def test_a_taken_port_is_reported():
    with running() as internet:
        port = int(internet.base_url.rpartition(":")[2])
        with pytest.raises(OSError, match="address already in use"), running(port=port):
            raise AssertionError("two servers on one port")
