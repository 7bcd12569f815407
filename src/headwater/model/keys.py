"""Keys derived from content, so that doing a thing twice gives the same row."""

from functools import lru_cache
from hashlib import blake2b, sha256

POSITIVE = (1 << 63) - 1
KEY_BYTES = 12  # 96 bits: a billion keys collide with a chance of one in ten billion


def key(*parts: str) -> str:
    """Returns a short stable key for a list of strings. The lengths are hashed too: different lists never look alike."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = ",".join([str(len(part)) for part in encoded]).encode()
    return blake2b(b"\0".join((lengths, *encoded)), digest_size=KEY_BYTES).hexdigest()


def key_number(key: str) -> int:
    """Returns a key as a signed 64-bit integer, for indexes that must stay small."""
    return int.from_bytes(bytes.fromhex(key[:16]), "big", signed=True)


def positive_number(key: str) -> int:
    """Returns a key as a 63-bit number, never negative: any SQL client accepts it as an id."""
    return key_number(key) & POSITIVE


def external_number(guid: str) -> int:
    """Returns the public number of an article: the first 63 bits of the SHA-256 of its GUID in UTF-8."""
    return int.from_bytes(sha256(guid.encode("utf-8", "replace")).digest()[:8], "big") >> 1


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


def alarm_key(recipe: str, kind: str, subject: str, raised: str) -> str:
    return key("alarm", recipe, kind, subject, raised)
