"""Lists of subjects in YAML."""

from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec

from headwater.model.errors import Refused
from headwater.model.subject import MAX_SUBJECT_LENGTH, Alias, Subject
from headwater.settings.yaml_file import load_yaml

KINDS = {"identifiers": "identifier", "legal_names": "legal_name", "aliases": "alias", "brands": "brand"}


class SubjectLine(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    name: str
    kind: str = "company"
    active: bool = True
    identifiers: list[str] = []
    legal_names: list[str] = []
    aliases: list[str] = []
    brands: list[str] = []


class SubjectFile(msgspec.Struct, forbid_unknown_fields=True):
    """`matching` is `words`, or `compat` to find names inside words too."""

    subjects: list[SubjectLine]
    matching: Literal["words", "compat"] = "words"


def load_subjects(path: Path) -> tuple[tuple[Subject, ...], str]:
    """Returns the subjects of a YAML file, and how their names are matched."""
    file = load_yaml(path, SubjectFile)
    for place, line in enumerate(file.subjects):
        if not 0 < len(line.id) <= MAX_SUBJECT_LENGTH:
            raise Refused(
                "bad_config", f"{path}: subjects[{place}].id: use 1 to {MAX_SUBJECT_LENGTH} characters"
            )
    repeated = [key for key, count in Counter(line.id for line in file.subjects).items() if count > 1]
    if repeated:
        raise Refused("bad_config", f"{path}: subjects: two subjects have the id '{repeated[0]}'")
    return tuple(make_subject(line) for line in file.subjects), file.matching


def make_subject(line: SubjectLine) -> Subject:
    """The name itself is an alias too; a name of several kinds gets the kind with the highest confidence."""
    names = [(name, kind) for field, kind in KINDS.items() for name in getattr(line, field)]
    kinds: dict[str, str] = {}
    for name, kind in [*names, (line.name, "alias")]:
        kinds.setdefault(name, kind)
    aliases = tuple(Alias(name, line.id, kind) for name, kind in kinds.items())
    return Subject(id=line.id, name=line.name, kind=line.kind, active=line.active, aliases=aliases)
