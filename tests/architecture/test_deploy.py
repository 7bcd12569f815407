"""The files under deploy/ are valid: they parse, every command in them exists, and together they do all the work."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from tests.support.helm_chart import rendered_manifests
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from headwater.cli.program import app
from headwater.model.command import RECIPE_ENTRY_POINTS
from headwater.model.jobs import QUEUED_TASKS
from headwater.recipes.loader import load_recipes
from headwater.settings.settings import Settings, read_settings

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


@cache
def compose() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "docker-compose.yml").read_text(encoding="utf-8"))
    return services


@cache
def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))


def headwater_services() -> dict[str, dict[str, Any]]:
    return {
        name: service
        for name, service in compose()["services"].items()
        if service.get("image") == "headwater"
    }


@cache
def chart_manifests() -> list[dict[str, Any]]:
    return rendered_manifests(DEPLOY / "helm")


def pods(all_manifests: list[dict[str, Any]] | None = None) -> dict[str, dict[str, Any]]:
    pod_specs = {}
    for manifest in all_manifests or manifests():
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


@cache
def commands() -> list[tuple[str, list[str]]]:
    """The place and the words of every command."""
    return list(_commands())


def _commands() -> Iterator[tuple[str, list[str]]]:
    for name, service in headwater_services().items():
        yield f"compose {name}", service["command"]
    for name, pod in pods().items():
        yield f"kubernetes {name}", pod["containers"][0]["args"]
    for name, words in procfile().items():
        yield f"procfile {name}", words[1:]
    for path in UNITS:
        for line in unit(path)[1]:
            yield f"systemd {path.name}", shlex.split(line)[1:]
    for name, pod in pods(chart_manifests()).items():
        yield f"helm {name}", pod["containers"][0]["args"]
    for name, service in railway().items():
        yield f"railway {name}", railway_words(service)
    yield "dockerfile", json.loads(dict(instructions())["CMD"])


def railway() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_bytes()) for path in sorted((DEPLOY / "railway").glob("*.json"))}


def railway_words(service: dict[str, Any]) -> list[str]:
    """Railway has a shell only where the command starts one, and a port of its own choice."""
    words = shlex.split(service["deploy"]["startCommand"].replace("$PORT", "8080"))
    if words[:2] == ["sh", "-c"]:
        words = shlex.split(words[2].removeprefix("exec "))
    assert words[0] == "headwater"
    return words[1:]


def test_r90_every_command_exists():
    assert len(commands()) > 20
    for place, words in commands():
        assert parsed_command([str(word) for word in words]), place


@pytest.mark.parametrize("words", [["wirker"], ["worker", "--queue", "x"], ["serve", "--port", "many"]])
def test_an_unknown_command_is_detected(words):
    with pytest.raises(TyperException):
        parsed_command(words)


@pytest.mark.parametrize("place", ["compose", "kubernetes", "procfile", "systemd", "helm", "railway"])
def test_r90_every_kind_of_work_has_its_worker(place: str):
    worker_commands = [
        words for where, words in commands() if where.startswith(place) and words[0] == "worker"
    ]
    served = {queue for words in worker_commands for queue in words[words.index("--queues") + 1].split(",")}
    assert served == ALL_QUEUES
    started = {parsed_command(words) for where, words in commands() if where.startswith(place)}
    assert {"beat", "worker", "serve"} <= started
    assert place in ("procfile", "railway") or "backup create" in started


def test_beat_and_workers_have_a_liveness_probe():
    for name, service in headwater_services().items():
        if service["command"][0] in {"beat", "worker"}:
            assert parsed_command(service["healthcheck"]["test"][2:]) == "probe", name
    for name, pod in pods().items():
        (container,) = pod["containers"]
        if container["args"][0] in {"beat", "worker"}:
            assert parsed_command(container["livenessProbe"]["exec"]["command"][1:]) == "probe", name


def test_only_a_dead_server_is_restarted_and_only_one_with_a_database_gets_requests():
    """A restart of web does not bring a database back, and the pages are needed most when a worker is missing."""
    for name, pod in (*pods().items(), *pods(chart_manifests()).items()):
        (container,) = pod["containers"]
        if container["args"][0] == "serve":
            probes = [container[probe]["httpGet"]["path"] for probe in ("livenessProbe", "readinessProbe")]
            assert probes == ["/healthz", "/health"], name


@pytest.mark.parametrize("place", ["compose", "kubernetes", "systemd"])
def test_backups_are_outside_the_data_folder_and_old_ones_are_removed(place: str):
    (words,) = [
        words for where, words in commands() if where.startswith(place) and words[:2] == ["backup", "create"]
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
                assert re.search(r"\$\{\w+:[?-]\}", value), name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    required = set(re.findall(r"\$\{(\w+):\?\}", (DEPLOY / "docker-compose.yml").read_text(encoding="utf-8")))
    listed = (DEPLOY / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^(\w+)=$", listed, re.MULTILINE)) == required


def test_r90_the_settings_can_be_read_with_the_environment_of_the_services():
    environment = {
        name: re.sub(r"\$\{\w+:-\}", "", re.sub(r"\$\{\w+:\?\}", "word", value))
        for name, value in headwater_services()["beat"]["environment"].items()
    }
    settings = read_settings(DEPLOY / "headwater.yaml", environment)
    assert settings.redis == "redis://:word@valkey:6379/0"
    assert "@postgres/headwater" in settings.database_url
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


def test_r90_the_settings_serve_every_recipe_with_a_list_of_ones_own_that_asks_for_nothing_yet():
    """Nothing is fetched for invented companies; a list is filled in before anything is polled."""
    own = [entry.name for entry in entry_points(group=RECIPE_ENTRY_POINTS) if entry.name != "news"]
    text = (DEPLOY / "headwater.yaml").read_text(encoding="utf-8")
    settings = msgspec.convert(yaml.safe_load(text.replace("/etc/headwater", str(DEPLOY))), Settings)
    assert sorted(settings.recipes) == sorted(own)
    loaded = load_recipes(settings)
    assert loaded.refusals == {}
    assert {name: loaded.recipes[name].sources for name in own} == dict.fromkeys(own, ())


def test_r90_every_variable_is_documented_and_reaches_every_role():
    """The keys of all recipes are passed on."""
    environment = headwater_services()["beat"]["environment"]
    documented = set(
        re.findall(r"^#? ?([A-Z0-9_]+)=", (DEPLOY / ".env.example").read_text("utf-8"), re.MULTILINE)
    )
    passed_on = {name for value in environment.values() for name in re.findall(r"\$\{(\w+):", value)}
    assert passed_on <= documented
    assert {
        "HEADWATER_MASSIVE_KEY",
        "HEADWATER_BROKER_KEY",
        "HEADWATER_BROKER_SECRET",
        "NEWS_DATABASE",
    } <= passed_on
    for service in headwater_services().values():
        assert service["environment"] == environment
        assert "./lists:/etc/headwater/lists:ro" in service["volumes"]


def comparable(pod: dict[str, Any]) -> dict[str, Any]:
    (container,) = pod["containers"]
    names = ("args", "securityContext", "volumeMounts", "livenessProbe", "readinessProbe", "resources")
    return {name: container.get(name) for name in names} | {"volumes": pod["volumes"]}


def test_r90_the_chart_and_the_manifests_describe_the_same_roles():
    plain, chart = pods(), pods(chart_manifests())
    assert {name: comparable(pod) for name, pod in chart.items()} == {
        name: comparable(pod) for name, pod in plain.items()
    }
    lists = {path.name for path in (DEPLOY / "lists").glob("*.yaml")}
    for pod in chart.values():
        (settings,) = [volume for volume in pod["volumes"] if volume["name"] == "settings"]
        assert {item["key"] for item in settings["projected"]["sources"][1]["configMap"]["items"]} == lists


# Among the packages for tests there is a wheel of it for Linux on x86-64.
HELM = shutil.which("helm", path=str(Path(sys.executable).parent)) or shutil.which("helm")


@pytest.mark.skipif(HELM is None, reason="Helm renders the chart only where it is installed")
def test_r90_helm_accepts_the_chart_and_renders_the_same():
    def helm(*words: str) -> str:
        command = [str(HELM), *words, str(DEPLOY / "helm")]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    helm("lint", "--strict")
    rendered = [m for m in yaml.safe_load_all(helm("template", "headwater")) if m is not None]
    by_name = {(m["kind"], m["metadata"]["name"]): m for m in rendered}
    assert by_name == {(m["kind"], m["metadata"]["name"]): m for m in chart_manifests()}


@pytest.mark.parametrize("name", railway())
def test_r90_railway_builds_the_image_and_restarts_what_must_not_end(name: str):
    service = railway()[name]
    assert service["build"] == {"builder": "DOCKERFILE", "dockerfilePath": "deploy/Dockerfile"}
    is_cron = "cronSchedule" in service["deploy"]
    assert service["deploy"]["restartPolicyType"] == ("NEVER" if is_cron else "ALWAYS")
    assert is_cron == ("--once" in service["deploy"]["startCommand"])
