"""What the core depends on: locked by hash, from nowhere in particular, under licences that ask nothing of its users."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)(.*)$")
RECIPROCAL = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)
LESSER = re.compile(r"LGPL|Lesser", re.IGNORECASE)


def _pins(lock: Path) -> dict[str, str]:
    """Each package with the whole of its entry."""
    entries = lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    found = (PINNED.match(line.strip()) for line in entries)
    return {match[1].lower(): match[0] for match in found if match}


def test_locks_name_no_registry():
    assert len(LOCKS) >= 2
    for lock in LOCKS:
        text = lock.read_text(encoding="utf-8")
        assert not re.search(r"https?://|--index-url|--extra-index-url|--find-links", text), lock.name


def test_every_package_is_pinned_with_its_hashes():
    for lock in LOCKS:
        assert len(_pins(lock)) > 10
        for name, entry in _pins(lock).items():
            assert "--hash=sha256:" in entry, name


def test_the_lock_holds_every_dependency_of_the_core():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[\s<>=!\[;]", line)[0].lower().replace("_", "-") for line in project["dependencies"]}
    assert wanted <= {name.replace("_", "-") for name in _pins(ROOT / "requirements" / "core.txt")}


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
