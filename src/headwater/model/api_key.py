"""Keys of the HTTP API: `hw_ID_SECRET`. The id finds the row; only a hash of the secret is stored."""

import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from hashlib import sha256

PREFIX = "hw"
ID_BYTES, SECRET_BYTES = 6, 32
LONGEST_KEY = 200
# Compared with when there is no such key, so that an unknown id takes as long as a wrong secret.
NO_HASH = sha256(b"no such key").hexdigest()


class KeyScope(IntEnum):
    """What a key permits; each scope includes the ones before it."""

    READ = 1
    OPERATE = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class ApiKey:
    id: str
    name: str
    scope: KeyScope
    created_at: datetime
    revoked_at: datetime | None = None


def make_api_key(randomness: bytes) -> tuple[str, str, str]:
    """The whole key, its id and the hash of its secret, from ID_BYTES + SECRET_BYTES random bytes."""
    key_id = randomness[:ID_BYTES].hex()
    secret = urlsafe_b64encode(randomness[ID_BYTES:]).decode().rstrip("=")
    return f"{PREFIX}_{key_id}_{secret}", key_id, hash_secret(secret)


def split_api_key(text: str) -> tuple[str, str]:
    """The id and the secret; two empty texts if it is no key of ours."""
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    return (key_id, secret) if prefix == PREFIX and len(text) <= LONGEST_KEY else ("", "")


def hash_secret(secret: str) -> str:
    """The secret has 256 random bits, so a fast hash is enough."""
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def matches_hash(secret: str, stored_hash: str | None) -> bool:
    """In the same time whether there is a hash or not."""
    is_equal = hmac.compare_digest(hash_secret(secret), stored_hash or NO_HASH)
    return is_equal and stored_hash is not None
