"""The source registry: which portal an address belongs to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from headwater.pure.urls import host_of
from headwater.settings.yaml_file import load
from headwater_recipes.procedures.registry.entry import Entry, RegistryFile
from headwater_recipes.procedures.registry.territory import LEVELS

FOLDER = Path(__file__).parent
FILES = ("state.yaml", "regional.yaml", "local.yaml")
DEMO = "demo.yaml"


@dataclass(frozen=True)
class Registry:
    entries: tuple[Entry, ...] = ()
    by_domain: dict[str, Entry] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        table = {domain: entry for entry in self.entries for domain in entry.domains}
        object.__setattr__(self, "by_domain", table)

    def owner(self, url: str) -> Entry | None:
        """The portal whose domain is the longest end of the address's host."""
        labels = host_of(url).split(".")
        names = (".".join(labels[start:]) for start in range(len(labels)))
        return next((self.by_domain[name] for name in names if name in self.by_domain), None)


def territory(entry: Entry) -> dict[str, str]:
    places = {"ccaa": entry.ccaa, "provincia": entry.province, "municipio": entry.municipality}
    return {"nivel": LEVELS[entry.jurisdiction]} | {name: value for name, value in places.items() if value}


def read_registry(paths: Iterable[Path]) -> Registry:
    return Registry(tuple(entry for path in paths for entry in load(path, RegistryFile).sources))


@cache
def packaged(*, demo: bool = True) -> Registry:
    """The portals that come with the recipe; `demo` adds those of the demo internet, whose names nobody can own."""
    names: Sequence[str] = (*FILES, DEMO) if demo else FILES
    return read_registry(FOLDER / name for name in names if (FOLDER / name).exists())
