"""A list that an operator keeps in a file beside the settings."""

from pathlib import Path

from headwater.model.errors import Permanent, Temporary


def list_file(path: Path, largest: int, reason: str) -> str:
    """Its text. `reason` names what is wrong with a file that no list can be read from."""
    try:
        if path.stat().st_size > largest:
            raise Permanent(reason, f"{path.name}: larger than {largest} bytes")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Permanent(reason, f"{path.name}: not UTF-8") from error
    except OSError as error:
        # It may be on its way: somebody saves it, or a disk comes back.
        raise Temporary("missing_file", f"{path.name}: {error.strerror}") from error
