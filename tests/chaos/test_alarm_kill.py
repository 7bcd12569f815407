"""A worker killed while it notifies an operator: nothing is lost, and the second message carries the key of the first."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.servers.receivers import http_receiver
from tests.support.crypto_scene import CRYPTO, crypto, settings_file
from tests.support.scene import Scene

from headwater.app import App
from headwater.engine.engine import Engine
from headwater.model.jobs import Job, State, Task
from headwater.ops.health import check_health
from headwater.ops.installation_lock import release_dead_owners
from headwater.settings.settings import read_settings
from headwater.store.schema.flow import deliveries

DELIVERING = """
import sys
from pathlib import Path
from headwater.app import App
from headwater.engine.engine import Engine
from headwater.liveness import owner_name
from headwater.model.jobs import Job, Task
from headwater.settings.settings import read_settings

app = App(read_settings(Path(sys.argv[1]), {}))
Engine(app.context(owner_name("local"), fetching=False)).run(Job("crypto", Task.DELIVER))
"""
LONGEST = 60


def test_c35_killed_between_sending_and_noting_it_is_sent_again_with_the_same_key(
    scene: Scene, database: str, tmp_path: Path
):
    scene.poll(source=crypto(), error="http_500", failures=10, stop_reason="10 failures in a row")
    with http_receiver() as receiver:
        path = settings_file(tmp_path, database, f'notify: {{ops: {{kind: webhook, url: "{receiver.url}"}}}}')
        app = App(read_settings(path, {}))
        check_health(app)
        receiver.go_on.clear()
        victim = subprocess.Popen([sys.executable, "-c", DELIVERING, str(path)], env=dict(os.environ))
        until = time.monotonic() + LONGEST
        while not receiver.posted and time.monotonic() < until:
            time.sleep(0.02)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        receiver.go_on.set()
        assert scene.row(deliveries)["state"] == State.WAITING
        assert release_dead_owners(app) == 1
        assert Engine(app.context("second", fetching=False)).run(Job(CRYPTO, Task.DELIVER)) == 1
        app.store.engine.dispose()
    assert len(receiver.posted) == 2
    assert len({posted.headers["Idempotency-Key"] for posted in receiver.posted}) == 1
    assert scene.row(deliveries)["state"] == State.DONE
