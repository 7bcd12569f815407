"""What the core depends on: locked by hash, from nowhere in particular, under licences that ask nothing of its users."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
EXTRAS = {"core": (), "cluster": ("cluster", "postgres", "parquet", "nlp")}
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)(.*)$")
RECIPROCAL = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)
LESSER = re.compile(r"LGPL|Lesser", re.IGNORECASE)


def _pins(lock: Path) -> dict[str, str]:
    """Each package with the whole of its entry."""
    entries = lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    found = (PINNED.match(line.strip()) for line in entries)
    return {match[1].lower(): match[0] for match in found if match}


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


def _wanted(lock: str) -> set[str]:
    """What pyproject.toml asks for on behalf of those who install from the lock."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, groups = told["project"], told["dependency-groups"]
    lines = [*project["dependencies"], *groups["build"]]
    for extra in EXTRAS.get(lock, project["optional-dependencies"]):
        lines += project["optional-dependencies"][extra]
    if lock == "dev":
        lines += [*groups["dev"], *groups["bench"]]
    return {re.split(r"[\s<>=!\[;]", line)[0].lower().replace("_", "-") for line in lines}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_lock_holds_what_the_project_asks_for(lock: Path):
    assert _wanted(lock.stem) <= {name.replace("_", "-") for name in _pins(lock)}


@pytest.mark.parametrize("lock", ["core", "cluster"])
def test_what_is_installed_elsewhere_is_what_was_tested(lock: str):
    """Every version, with its hashes, stands in the lock of the tests too."""
    tested = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    for version in re.findall(r"^\S+==\S+", text, re.MULTILINE):
        assert re.search(rf"^{re.escape(version)}\s", tested, re.MULTILINE), version


def test_no_heavy_package_is_in_the_core():
    heavy = {"torch", "transformers", "celery", "playwright", "redis", "boto3", "psycopg"}
    assert heavy & set(_pins(ROOT / "requirements" / "core.txt")) == set()


def test_nothing_in_the_core_is_under_the_gpl_or_agpl():
    looked_at = 0
    for name in _pins(ROOT / "requirements" / "core.txt"):
        try:
            licence = _licence(name)
        except PackageNotFoundError:
            continue  # for another platform or Python
        looked_at += 1
        assert not RECIPROCAL.search(LESSER.sub("", licence)), f"{name}: {licence}"
    assert looked_at > 20


def _licence(name: str) -> str:
    """What the package says of itself: expression, classifiers, or the beginning of its licence field."""
    told = metadata(name)
    classified = [c for c in told.get_all("Classifier") or () if c.startswith("License ::")]
    said = told.get("License-Expression") or " ".join(classified) or (told.get("License") or "")[:80]
    return said or (distribution(name).read_text("LICENSE") or "")[:80]
