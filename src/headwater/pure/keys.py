"""Keys made of content: whoever computes them twice gets the same row."""

from functools import lru_cache
from hashlib import blake2b

KEY_BYTES = 12  # 96 bits: a billion keys collide with a chance of one in ten billion


def key(*parts: str) -> str:
    """A short stable key for an ordered list of strings; no two different lists share their spelling."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = ",".join([str(len(part)) for part in encoded]).encode()
    return blake2b(b"\0".join((lengths, *encoded)), digest_size=KEY_BYTES).hexdigest()


def key_number(key: str) -> int:
    """A key as a signed 64-bit integer, for indexes that must stay small."""
    return int.from_bytes(bytes.fromhex(key[:16]), "big", signed=True)


def source_key(recipe: str, kind: str, url: str, name: str) -> str:
    return key("source", recipe, kind, url or name)


def lead_key(recipe: str, source: str, identity: str) -> str:
    return key("lead", recipe, source, identity)


def document_key(recipe: str, canonical_url: str) -> str:
    return key("document", recipe, canonical_url)


def capture_key(owner: str, sha256: str) -> str:
    return key("capture", owner, sha256)


@lru_cache(maxsize=4096)
def group_key(recipe: str, name: str) -> str:
    return key("group", recipe, name)


def delivery_key(recipe: str, route: str, record: str) -> str:
    return key("delivery", recipe, route, record)
