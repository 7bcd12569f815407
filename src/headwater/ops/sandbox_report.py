"""Which protections the sandbox has on this machine, as a child that was just started reports them."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from headwater.extract.sandbox.lockdown.protections import Protection
from headwater.extract.sandbox.process import ExtractorProcess
from headwater.model.errors import Refused

SECONDS, MEGABYTES = 30.0, 512
NAMES = {
    "environment": "clean environment",
    "limits": "resource limits",
    "no_new_privs": "no new privileges",
    "landlock": "Landlock",
    "seccomp": "seccomp",
}


@cache
def sandbox_report() -> dict[str, Any]:
    """`ok`: untrusted bytes can be read at all. Each protection is "active", or says why it is not."""
    try:
        child = ExtractorProcess.start((), SECONDS, MEGABYTES)
    except Refused as error:
        return {"ok": False, "line": f"sandbox: cannot be started: {error.detail}", "protections": {}}
    child.close()
    return describe_protections(child.protections)


def describe_protections(protections: Sequence[Protection]) -> dict[str, Any]:
    return {
        "ok": True,
        "line": _line(protections),
        "protections": {each.name: _state(each) for each in protections},
    }


def _state(protection: Protection) -> str:
    if protection.active:
        return f"active ({protection.detail})" if protection.detail else "active"
    return f"missing: {protection.detail}"


def _line(protections: Sequence[Protection]) -> str:
    active = [_name(each) for each in protections if each.active]
    missing = [f"{NAMES[each.name]} ({each.detail})" for each in protections if not each.active]
    line = f"sandbox: {', '.join(active)}"
    return f"{line}; missing: {', '.join(missing)}" if missing else line


def _name(protection: Protection) -> str:
    name = NAMES[protection.name]
    return f"{name} {protection.detail}" if protection.detail else name
