"""Values as JSON text that both databases can hold."""

from typing import Any

import msgspec

from headwater.pure.letters import storable

NUL = rb"\u0000"
from_json = msgspec.json.decode


def to_json(value: Any) -> str:
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = NUL
    if NUL in encoded:
        encoded = msgspec.json.encode(_storable(msgspec.to_builtins(value)))
    return encoded.decode()


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {_storable(name): _storable(part) for name, part in value.items()}
    return [_storable(part) for part in value] if isinstance(value, list | tuple) else value
