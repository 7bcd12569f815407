"""The files under deploy/ are valid: they parse, every command in them exists, and together they do all the work."""

import json
import re
import shlex
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from headwater.cli.program import app
from headwater.model.jobs import QUEUED_TASKS
from headwater.settings.settings import read_settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("headwater-*.*"))
ALL_QUEUES = {*(task.value for task in QUEUED_TASKS), "maintenance"}
INSTRUCTIONS = {
    "FROM", "WORKDIR", "RUN", "COPY", "USER", "VOLUME", "ENV", "ENTRYPOINT", "CMD",
}  # fmt: skip
SECRETS = re.compile(r"(PASSWORD|SECRET|KEY)$")


def parsed_command(words: list[str]) -> str:
    """Parse a command line as `headwater` would, without running it; returns the command."""
    command: Any = get_command(app)
    context = command.make_context("headwater", list(words))
    path = ""
    while isinstance(command, TyperGroup):
        name, command, arguments = command.resolve_command(context, [*context._protected_args, *context.args])
        path = f"{path} {name}".strip()
        context = command.make_context(name, arguments, parent=context)
    return path


def compose() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "docker-compose.yml").read_text(encoding="utf-8"))
    return services


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))


def headwater_services() -> dict[str, dict[str, Any]]:
    return {
        name: service
        for name, service in compose()["services"].items()
        if service.get("image") == "headwater"
    }


def pods() -> dict[str, dict[str, Any]]:
    pod_specs = {}
    for manifest in manifests():
        if manifest["kind"] == "Deployment":
            pod_specs[manifest["metadata"]["name"]] = manifest["spec"]["template"]["spec"]
        if manifest["kind"] == "CronJob":
            pod_specs[manifest["metadata"]["name"]] = manifest["spec"]["jobTemplate"]["spec"]["template"][
                "spec"
            ]
    return pod_specs


def procfile() -> dict[str, list[str]]:
    lines = (DEPLOY / "Procfile").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(": ", 1) for line in lines if line)
    return {name: shlex.split(command) for name, command in pairs}


def instructions() -> list[tuple[str, str]]:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [(name, arguments.strip()) for name, _, arguments in (line.partition(" ") for line in lines)]


def unit(path: Path) -> tuple[ConfigParser, list[str]]:
    """The unit and the commands that it starts: a unit may have several."""
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    text = path.read_text(encoding="utf-8")
    parser.read_string(text)
    return parser, re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)


def commands() -> Iterator[tuple[str, list[str]]]:
    for name, service in headwater_services().items():
        yield f"compose {name}", service["command"]
    for name, pod in pods().items():
        yield f"kubernetes {name}", pod["containers"][0]["args"]
    for name, words in procfile().items():
        yield f"procfile {name}", words[1:]
    for path in UNITS:
        for line in unit(path)[1]:
            yield f"systemd {path.name}", shlex.split(line)[1:]
    yield "dockerfile", json.loads(dict(instructions())["CMD"])


COMMANDS = list(commands())


@pytest.mark.parametrize(("place", "words"), COMMANDS, ids=[place for place, _ in COMMANDS])
def test_r90_every_command_exists(place: str, words: list[str]):
    assert parsed_command([str(word) for word in words])


@pytest.mark.parametrize("words", [["wirker"], ["worker", "--queue", "x"], ["serve", "--port", "many"]])
def test_an_unknown_command_is_detected(words):
    with pytest.raises(TyperException):
        parsed_command(words)


@pytest.mark.parametrize("place", ["compose", "kubernetes", "procfile", "systemd"])
def test_r90_every_kind_of_work_has_its_worker(place: str):
    worker_commands = [words for where, words in COMMANDS if where.startswith(place) and words[0] == "worker"]
    served = {queue for words in worker_commands for queue in words[words.index("--queues") + 1].split(",")}
    assert served == ALL_QUEUES
    started = {parsed_command(words) for where, words in COMMANDS if where.startswith(place)}
    assert {"beat", "worker", "serve"} <= started
    assert place == "procfile" or "backup create" in started


def test_beat_and_workers_have_a_liveness_probe():
    for name, service in headwater_services().items():
        if service["command"][0] in {"beat", "worker"}:
            assert parsed_command(service["healthcheck"]["test"][2:]) == "probe", name
    for name, pod in pods().items():
        (container,) = pod["containers"]
        if container["args"][0] in {"beat", "worker"}:
            assert parsed_command(container["livenessProbe"]["exec"]["command"][1:]) == "probe", name


@pytest.mark.parametrize("place", ["compose", "kubernetes", "systemd"])
def test_backups_are_outside_the_data_folder_and_old_ones_are_removed(place: str):
    (words,) = [
        words for where, words in COMMANDS if where.startswith(place) and words[:2] == ["backup", "create"]
    ]
    assert not words[2].startswith(("/data/", "/var/lib/headwater"))
    assert "--keep" in words


def test_r90_one_image_serves_all_roles_and_runs_as_an_unprivileged_user():
    all_instructions = instructions()
    assert {name for name, _ in all_instructions} == INSTRUCTIONS
    arguments_of = dict(all_instructions)
    assert json.loads(arguments_of["ENTRYPOINT"]) == ["headwater"]
    assert arguments_of["USER"] != "root"
    copied = [
        arguments.split()[:-1]
        for name, arguments in all_instructions
        if name == "COPY" and not arguments.startswith("--from")
    ]
    assert all((ROOT / source).exists() for sources in copied for source in sources)


def test_r90_the_image_installs_nothing_but_what_is_locked_by_hash():
    """Every installation requires the hashes of a lock, or installs the project itself and nothing else."""
    installed = [
        arguments.split("install", 1)[1]
        for name, arguments in instructions()
        if name == "RUN" and "pip" in arguments
    ]
    assert len(installed) == 2
    lock, project = installed
    assert "--require-hashes -r cluster.txt" in lock
    assert {"--no-deps", "--no-build-isolation", "."} <= set(project.split())
    assert ("COPY", "requirements/cluster.txt ./") in instructions()


def test_r90_the_services_name_one_another_and_hold_no_secret():
    composition = compose()
    services, volumes = composition["services"], composition["volumes"]
    assert {"postgres", "valkey", "s3", *headwater_services()} == set(services)
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
        mounted = [mount.split(":")[0] for mount in service.get("volumes", [])]
        assert all(name in volumes or (DEPLOY / name).exists() for name in mounted)
        for name, value in service.get("environment", {}).items():
            if SECRETS.search(name) or "@" in value:
                assert re.search(r"\$\{\w+:\?\}", value), name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    required = set(re.findall(r"\$\{(\w+):\?\}", (DEPLOY / "docker-compose.yml").read_text(encoding="utf-8")))
    listed = (DEPLOY / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^(\w+)=$", listed, re.MULTILINE)) == required


def test_r90_the_settings_can_be_read_with_the_environment_of_the_services():
    environment = {
        name: re.sub(r"\$\{\w+:\?\}", "word", value)
        for name, value in headwater_services()["beat"]["environment"].items()
    }
    settings = read_settings(DEPLOY / "headwater.yaml", environment)
    assert settings.redis == "redis://:word@valkey:6379/0"
    assert settings.database_url.endswith("@postgres/headwater")
    assert settings.archive_settings.place == "s3://headwater/raw"
    assert settings.archive_settings.endpoint == "http://s3:8333"
    assert settings.api_key.removeprefix("env:") in environment


def test_r90_pods_find_what_they_mount_and_their_web_is_found():
    all_manifests = manifests()
    names = {(manifest["kind"], manifest["metadata"]["name"]) for manifest in all_manifests}
    assert len(names) == len(all_manifests)
    for pod in pods().values():
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}
        claims = {volume["persistentVolumeClaim"]["claimName"] for volume in pod["volumes"][:1]}
        assert {("PersistentVolumeClaim", claim) for claim in claims} <= names
    (web,) = [manifest for manifest in all_manifests if manifest["kind"] == "Service"]
    labels = [
        manifest["spec"]["template"]["metadata"]["labels"]
        for manifest in all_manifests
        if manifest["kind"] == "Deployment"
    ]
    assert web["spec"]["selector"] in labels


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_r90_units_restart_dead_processes_and_run_as_an_unprivileged_user(path: Path):
    parser, started = unit(path)
    assert parser["Unit"]["Description"]
    if path.suffix == ".timer":
        assert path.with_suffix(".service").exists()
        return
    service = parser["Service"]
    assert service["User"] == "headwater"
    assert service.get("Type") == "oneshot" or service["Restart"] == "always"
    assert all(line.startswith("/opt/headwater/bin/headwater ") for line in started)


def test_r90_the_guide_covers_every_file_monitoring_and_backup():
    guide = (ROOT / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
    for path in (
        DEPLOY / "Dockerfile",
        DEPLOY / "docker-compose.yml",
        DEPLOY / "kubernetes.yaml",
        DEPLOY / "Procfile",
    ):
        assert f"deploy/{path.name}" in guide
    assert all(path.stem in guide for path in UNITS)
    assert all(title in guide for title in ("## Monitoring", "## Backup", "## Scale it", "## One machine"))
