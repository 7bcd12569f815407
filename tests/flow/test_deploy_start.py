"""What the files under deploy/ describe starts: the same commands and settings, with the demo internet behind them, and documents
of all four recipes arrive."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
import yaml
from tests.flow.command_line import SOURCE
from tests.servers.postgres import Postgres
from tests.servers.seaweed import Seaweed
from tests.servers.valkey import Valkey
from tests.support import child_process
from tests.support.deadline import DEADLINE
from tests.support.journal_recipe import read_output, wait_until

from headwater.app import App
from headwater.cli.demo import demo_settings
from headwater.model.jobs import State
from headwater.settings.settings import Settings, read_settings
from headwater_demo.internet import Internet, running
from headwater_demo.markets.watch_list import KEYS

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RECIPES = ("crypto", "geopolitics", "markets", "procedures")
# What an operator would not write: the demo internet in place of the real one, and no waiting.
FAKES = ("hosts", "requests_per_second", "budgets", "rate_limits")


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small", process=True) as demo_internet:
        yield demo_internet


@pytest.fixture
def etc(tmp_path: Path, internet: Internet) -> Path:
    """A folder in place of /etc/headwater: the settings of deploy/, and lists that an operator has filled in."""
    folder = tmp_path / "etc"
    demo = demo_settings(Settings(), folder / "lists", internet.base_url, "small")
    text = (DEPLOY / "headwater.yaml").read_text(encoding="utf-8").replace("/etc/headwater", str(folder))
    settings = yaml.safe_load(text)
    assert sorted(settings["recipes"]) == sorted(RECIPES)
    for name, recipe in settings["recipes"].items():
        recipe["options"] = demo.recipes[name].options
    fakes = yaml.safe_load(yaml.safe_dump({name: _plain(getattr(demo, name)) for name in FAKES}))
    (folder / "headwater.yaml").write_text(yaml.safe_dump(settings | fakes), encoding="utf-8")
    return folder


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return {"concurrency": 0} if hasattr(value, "concurrency") else value


def start(words: Sequence[str], environment: Mapping[str, str], folder: Path) -> subprocess.Popen[bytes]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    with (folder / "output").open("ab") as output:
        return child_process.start(
            [sys.executable, "-m", "headwater.cli", *words],
            stdout=output,
            stderr=output,
            cwd=folder,
            env=inherited | {"PYTHONPATH": str(SOURCE)} | KEYS | environment,
            start_new_session=True,
        )


def wait_for_documents(environment: Mapping[str, str], folder: Path) -> None:
    app = App(read_settings(None, environment))
    try:
        wait_until(
            lambda: all(app.catalogue.documents(recipe, [State.KEPT], 1) for recipe in RECIPES),
            folder,
            DEADLINE,
        )
    finally:
        app.store.engine.dispose()


def unit_command(name: str) -> list[str]:
    text = (DEPLOY / "systemd" / f"{name}.service").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStart=\S+/headwater (.+)$", text, re.MULTILINE)
    return shlex.split(line)


def test_r90_the_service_of_one_machine_ingests_all_four_recipes_on_a_fresh_installation(
    etc: Path, tmp_path: Path
):
    environment = {
        "HEADWATER_CONFIG": str(etc / "headwater.yaml"),
        "HEADWATER_DATA": str(tmp_path / "data"),
        "HEADWATER_CONTACT": "ops@desk.example",
        "HEADWATER_API_KEY": "word",
    }
    service = start(unit_command("headwater-work"), environment, tmp_path)
    wait_for_documents(environment, tmp_path)
    service.send_signal(signal.SIGTERM)
    assert service.wait(DEADLINE) == 0, read_output(tmp_path)


@pytest.mark.long
def test_r90_the_services_of_the_cluster_ingest_all_four_recipes(
    etc: Path, tmp_path: Path, postgres: Postgres, valkey: Valkey, seaweed: Seaweed
):
    services = yaml.safe_load((DEPLOY / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    described = services["beat"]["environment"]
    named = {
        name: re.sub(r"\$\{\w+:[?-]\}", "", value).replace("/etc/headwater", str(etc))
        for name, value in described.items()
    }
    database = postgres.create("deployed")
    environment = {name: value for name, value in named.items() if name not in KEYS} | {
        "HEADWATER_DATA": str(tmp_path / "data"),
        "HEADWATER_CONTACT": "ops@desk.example",
        "HEADWATER_API_KEY": "word",
        "HEADWATER_DATABASE": database,
        "HEADWATER_REDIS": valkey.url,
        "HEADWATER_ARCHIVE_ENDPOINT": seaweed.endpoint,
        "HEADWATER_ARCHIVE_KEY": seaweed.key,
        "HEADWATER_ARCHIVE_SECRET": seaweed.secret,
    }
    roles = ("beat", "network", "refine", "gather")
    started = [start(services[role]["command"], environment, tmp_path) for role in roles]
    wait_for_documents(environment, tmp_path)
    for process in started:
        process.send_signal(signal.SIGTERM)
    assert [process.wait(DEADLINE) for process in started] == [0] * len(roles), read_output(tmp_path)
    postgres.drop("deployed")
