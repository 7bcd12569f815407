"""What a page or feed declares against what the text shows."""

from dataclasses import dataclass

from headwater.pure.language.codes import UNDETERMINED, primary
from headwater.pure.language.detecting import Detected

DETECTED = "detected: py3langid"


@dataclass(frozen=True, slots=True)
class Settled:
    """The language a document gets, and on whose word."""

    language: str
    origin: str
    agreed: bool | None = None


def settle(declared: str, origin: str, found: Detected, overrule: float) -> Settled:
    """The text wins over the declaration when it is sure enough (templates declare one language for a whole site);
    a text that says nothing leaves the declaration standing. `agreed` is None when there is nothing to compare."""
    said = primary(declared)
    shown = found.language if found.language != UNDETERMINED else ""
    if not said:
        return Settled(shown or UNDETERMINED, DETECTED)
    if not shown:
        return Settled(said, origin)
    if said in {shown, found.secondary}:
        return Settled(shown, origin if said == shown else DETECTED, said == shown)
    if found.confidence >= overrule:
        return Settled(shown, DETECTED, agreed=False)
    return Settled(said, origin, agreed=False)
