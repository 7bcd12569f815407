"""Imports what each extra is for, as if nothing else were installed. Run as a program; prints one line for each failure.

A fresh process, because modules that are imported already hide what is missing. Each extra has a fork of its own.
"""

import importlib
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, DistributionFinder, packages_distributions
from pathlib import Path
from types import ModuleType

from headwater.installed_packages import installed_packages

ROOT = Path(__file__).resolve().parents[2]
CORE = (
    "headwater.cli.program",
    "headwater.app",
    "headwater.runtime.worker_pool",
    "headwater.python_api.installation",
)
# What is imported by name or when it is first used stands here beside the modules that need it.
ENTRY_MODULES = {
    "browser": ("headwater.fetch.browser.chromium",),
    "cluster": (
        "headwater.runtime.celery.worker", "headwater.runtime.celery.beat", "celery.apps.worker",
        "celery.concurrency.prefork", "kombu.transport.redis", "redis", "sqlalchemy.dialects.postgresql.psycopg", "psycopg",
    ),
    "nlp": ("onnx", "onnxruntime", "tokenizers"),
    "parquet": ("pyarrow.parquet",),
    "postgres": ("sqlalchemy.dialects.postgresql.psycopg", "psycopg"),
    "readers": ("boilerpy3", "justext", "readability", "trafilatura"),
    "web": ("headwater.web.application", "headwater.web.server", "headwater.web.mcp.server", "headwater.web.metrics", "uvicorn"),
}  # fmt: skip


def required_packages(extra: str | None) -> set[str]:
    """The packages that an installation with this extra brings, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(project["optional-dependencies"][extra] if extra else ())]
    return {"headwater", *(package.name for package in installed_packages(lines))}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass
class RestrictedFinder:
    """Finds modules as usual, except those of packages that the installation would not bring."""

    owners: Mapping[str, Sequence[str]]
    required: set[str]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        owners = self.owners.get(name.partition(".")[0])
        if owners and self.required.isdisjoint(owners):
            return None
        return PathFinder.find_spec(name, path, target)

    def find_distributions(self, context: DistributionFinder.Context) -> Iterable[Distribution]:
        """Some packages read their own version."""
        return PathFinder.find_distributions(context)


def print_failures(label: str, modules: Iterable[str]) -> None:
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:  # noqa: BLE001 - our own refusal, too, says that a package is missing
            print(f"{label}: {module}: {error.__cause__ or error}", flush=True)


def main() -> None:
    required = {extra: required_packages(extra) for extra in (None, *ENTRY_MODULES)}
    owners = {name: [normal(owner) for owner in names] for name, names in packages_distributions().items()}
    finder = RestrictedFinder(owners, required[None])
    sys.meta_path[sys.meta_path.index(PathFinder)] = finder
    print_failures("core", CORE)
    for extra, modules in ENTRY_MODULES.items():
        child = os.fork()
        if not child:
            finder.required = required[extra]
            print_failures(extra, modules)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
