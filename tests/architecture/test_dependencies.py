"""The dependencies of the core: locked by hash, from no particular registry, under permissive licences."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
EXTRAS = {"core": (), "cluster": ("cluster", "postgres", "parquet", "nlp")}
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)(.*)$")
RECIPROCAL = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)
LESSER = re.compile(r"LGPL|Lesser", re.IGNORECASE)


def _pins(lock: Path) -> dict[str, str]:
    """Each package with its complete entry."""
    entries = lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    matches = (PINNED.match(line.strip()) for line in entries)
    return {match[1].lower(): match[0] for match in matches if match}


def test_locks_name_no_registry():
    assert {lock.stem for lock in LOCKS} == {"core", "cluster", "dev"}
    for lock in LOCKS:
        text = lock.read_text(encoding="utf-8")
        assert not re.search(r"https?://|--index-url|--extra-index-url|--find-links", text), lock.name


def test_every_package_is_pinned_with_its_hashes():
    for lock in LOCKS:
        assert len(_pins(lock)) > 10
        for name, entry in _pins(lock).items():
            assert "--hash=sha256:" in entry, name


def _required(lock: str) -> set[str]:
    """The packages that pyproject.toml requires for an installation from the lock."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    lines = [*project["dependencies"], *groups["build"]]
    for extra in EXTRAS.get(lock, project["optional-dependencies"]):
        lines += project["optional-dependencies"][extra]
    if lock == "dev":
        lines += [*groups["dev"], *groups["bench"]]
    return {re.split(r"[\s<>=!\[;]", line)[0].lower().replace("_", "-") for line in lines}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_lock_holds_what_the_project_asks_for(lock: Path):
    assert _required(lock.stem) <= {name.replace("_", "-") for name in _pins(lock)}


@pytest.mark.parametrize("lock", ["core", "cluster"])
def test_what_is_installed_elsewhere_is_what_was_tested(lock: str):
    """Every version, with its hashes, is in the lock of the tests too."""
    tested = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    for version in re.findall(r"^\S+==\S+", text, re.MULTILINE):
        assert re.search(rf"^{re.escape(version)}\s", tested, re.MULTILINE), version


@pytest.mark.parametrize(
    ("system", "machine", "has_wheels"),
    [
        ("linux", "x86_64", True),
        ("linux", "aarch64", True),
        ("darwin", "arm64", True),
        ("darwin", "x86_64", True),
        ("win32", "AMD64", True),
        ("win32", "ARM64", False),
        ("linux", "riscv64", False),
        ("linux", "ppc64le", False),
        ("freebsd14", "amd64", False),
    ],
)
def test_a_faster_compression_is_installed_where_that_needs_no_compiler(
    system: str, machine: str, has_wheels: bool
):
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pins = [_pins(lock)["isal"].partition("--hash")[0] for lock in LOCKS]
    for line in [*(line for line in pyproject["project"]["dependencies"] if line.startswith("isal")), *pins]:
        marker = Requirement(line).marker
        assert marker, line
        assert marker.evaluate({"sys_platform": system, "platform_machine": machine}) == has_wheels, line


def test_no_heavy_package_is_in_the_core():
    heavy = {"torch", "transformers", "celery", "playwright", "redis", "boto3", "psycopg"}
    assert heavy & set(_pins(ROOT / "requirements" / "core.txt")) == set()


def test_nothing_in_the_core_is_under_the_gpl_or_agpl():
    checked = 0
    for name in _pins(ROOT / "requirements" / "core.txt"):
        try:
            licence = _licence(name)
        except PackageNotFoundError:
            continue  # for another platform or Python
        checked += 1
        assert not RECIPROCAL.search(LESSER.sub("", licence)), f"{name}: {licence}"
    assert checked > 20


def _licence(name: str) -> str:
    """The licence that the package states: expression, classifiers, or the beginning of its licence field."""
    package = metadata(name)
    classified = [c for c in package.get_all("Classifier") or () if c.startswith("License ::")]
    licence = package.get("License-Expression") or " ".join(classified) or (package.get("License") or "")[:80]
    return licence or (distribution(name).read_text("LICENSE") or "")[:80]
