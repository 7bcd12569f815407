"""The installed packages that Headwater needs, with versions and licences, and their list as CycloneDX."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any
from uuid import NAMESPACE_URL, uuid5

OWN_NAME = "headwater"
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]]*)\])?[^;]*(?:;(.*))?", re.DOTALL)
_EXTRA_MARKER = re.compile(r"\bextra\s*==\s*[\"']([^\"']+)[\"']")
_SEPARATORS = re.compile(r"[-_.]+")
_WEAK_COPYLEFT = re.compile(r"(?:lesser|library)[\w\s]*general public licen[cs]e|\blgpl\S*", re.IGNORECASE)
_STRONG_COPYLEFT = re.compile(r"gpl|general public licen[cs]e", re.IGNORECASE)
LONGEST_LICENCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """An installed package. `licence` is what its metadata says: an SPDX expression if there is one. `needs` are the names of
    the installed packages that it requires."""

    name: str
    version: str
    licence: str
    is_expression: bool = False
    needs: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Requirement:
    name: str
    extras: frozenset[str]


def read_requirements(lines: Iterable[str], extras: frozenset[str] = frozenset()) -> Iterator[Requirement]:
    """The requirements that count with these extras. Other markers (platform, version of Python) are not evaluated: what they
    exclude is not installed."""
    for line in lines:
        match = _REQUIREMENT.match(line)
        if match is None:
            continue
        needed_extras = {_normal(name) for name in _EXTRA_MARKER.findall(match[3] or "")}
        if not needed_extras or needed_extras & extras:
            own_extras = frozenset(_normal(name) for name in (match[2] or "").split(",") if name.strip())
            yield Requirement(_normal(match[1]), own_extras)


def installed_packages(lines: Iterable[str], extras: Iterable[str] = ()) -> Sequence[Package]:
    """Every installed package that these requirements lead to, by name."""
    extras_by_name: dict[str, frozenset[str]] = {}
    waiting = list(read_requirements(lines, frozenset(_normal(name) for name in extras)))
    while waiting:
        requirement = waiting.pop()
        known_extras = extras_by_name.get(requirement.name)
        if known_extras is not None and requirement.extras <= known_extras:
            continue
        installed = _distribution(requirement.name)
        if installed is not None:
            merged = (known_extras or frozenset()) | requirement.extras
            extras_by_name[requirement.name] = merged
            waiting += read_requirements(installed.requires or (), merged)
    return [_package(name, extras_by_name) for name in sorted(extras_by_name)]


def own_packages() -> tuple[Package, Sequence[Package]]:
    """Headwater itself, and everything that is installed for it, extras included."""
    own = distribution(OWN_NAME)
    packages = installed_packages(own.requires or (), own.metadata.get_all("Provides-Extra") or ())
    licence, is_expression = _licence(own)
    needs = tuple(package.name for package in packages)
    return (
        Package(
            name=OWN_NAME, version=own.version, licence=licence, is_expression=is_expression, needs=needs
        ),
        packages,
    )


def is_strong_copyleft(licence: str) -> bool:
    """True for GPL and AGPL, unless the licence offers a choice without them; false for LGPL."""
    choices = re.split(r"\s+OR\s+", licence)
    return all(_STRONG_COPYLEFT.search(_WEAK_COPYLEFT.sub("", choice)) for choice in choices)


def as_cyclonedx(own: Package, packages: Sequence[Package]) -> Mapping[str, Any]:
    """A software bill of materials. The same packages result in the same document."""
    content = "\n".join(package.url for package in (own, *packages))
    urls = {package.name: package.url for package in packages}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {"component": _component(own, "application")},
        "components": [_component(package, "library") for package in packages],
        "dependencies": [
            {"ref": package.url, "dependsOn": [urls[name] for name in package.needs]}
            for package in (own, *packages)
        ],
    }


def _component(package: Package, kind: str) -> dict[str, Any]:
    licence = (
        {"expression": package.licence} if package.is_expression else {"license": {"name": package.licence}}
    )
    return {
        "type": kind,
        "bom-ref": package.url,
        "name": package.name,
        "version": package.version,
        "purl": package.url,
        **({"licenses": [licence]} if package.licence else {}),
    }


def _package(name: str, extras_by_name: Mapping[str, frozenset[str]]) -> Package:
    installed = distribution(name)
    licence, is_expression = _licence(installed)
    requirements = read_requirements(installed.requires or (), extras_by_name[name])
    needs = sorted({requirement.name for requirement in requirements} & set(extras_by_name))
    return Package(
        name=name,
        version=installed.version,
        licence=licence,
        is_expression=is_expression,
        needs=tuple(needs),
    )


def _licence(installed: Distribution) -> tuple[str, bool]:
    """The licence, and whether it is an SPDX expression. Older packages name it in classifiers or in free text."""
    metadata = installed.metadata
    if expressions := metadata.get_all("License-Expression"):
        return str(expressions[0]), True
    classifiers = [
        classifier.rpartition("::")[2].strip()
        for classifier in metadata.get_all("Classifier") or ()
        if classifier.startswith("License ::")
    ]
    if classifiers:
        return " OR ".join(classifiers), False
    lines = "\n".join(metadata.get_all("License") or ()).strip().splitlines()
    return (lines[0][:LONGEST_LICENCE] if lines else ""), False


def _distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name.strip()).lower()
