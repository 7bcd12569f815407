"""`python -m headwater.cli.sbom FILE`: writes the installed packages as a software bill of materials (CycloneDX, JSON)."""

import sys
from pathlib import Path

import msgspec

from headwater.installed_packages import as_cyclonedx, own_packages


def main(path: Path) -> None:
    own, packages = own_packages()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(as_cyclonedx(own, packages)), indent=2) + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
