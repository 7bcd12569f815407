"""Keys of the HTTP API as rows. A row has the hash of the secret, never the secret."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, RowMapping, insert, or_, select, update

from headwater.model.api_key import ApiKey, KeyScope
from headwater.model.errors import Refused
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.access import api_keys


@dataclass(frozen=True)
class ApiKeyStore:
    engine: Engine

    def create(self, key: ApiKey, secret_hash: str) -> None:
        values = {"id": key.id, "name": key.name, "scope": key.scope.label, "sha256": secret_hash}
        taken = select(api_keys.c.id).where(api_keys.c.name == key.name, api_keys.c.revoked_at.is_(None))
        with write_transaction(self.engine) as connection:
            if connection.scalar(taken) is not None:
                raise Refused(
                    "name_taken", f"there is a key called '{key.name}': revoke it, or choose another name"
                )
            connection.execute(insert(api_keys).values(**values, created_at=key.created_at))

    def find(self, key_id: str) -> tuple[ApiKey, str] | None:
        """The key that is in force under this id, with the hash of its secret."""
        query = select(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
        with read_transaction(self.engine) as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else (_key_from(row), row["sha256"])

    def list_keys(self) -> list[ApiKey]:
        """All keys, revoked ones included, oldest first."""
        query = select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
        with read_transaction(self.engine) as connection:
            return [_key_from(row) for row in connection.execute(query).mappings()]

    def revoke(self, id_or_name: str, now: datetime) -> ApiKey:
        """From now on the key opens nothing."""
        is_meant: Any = or_(api_keys.c.id == id_or_name, api_keys.c.name == id_or_name)
        query = select(api_keys).where(is_meant, api_keys.c.revoked_at.is_(None))
        with write_transaction(self.engine) as connection:
            rows = connection.execute(query).mappings().all()
            if len(rows) != 1:
                raise Refused(
                    "unknown_key", f"there is no key '{id_or_name}'; list them with `headwater keys list`"
                )
            connection.execute(update(api_keys).where(api_keys.c.id == rows[0]["id"]).values(revoked_at=now))
        return _key_from(dict(rows[0]) | {"revoked_at": now})


def _key_from(row: RowMapping | dict[str, Any]) -> ApiKey:
    scope = KeyScope[row["scope"].upper()]
    return ApiKey(row["id"], row["name"], scope, row["created_at"], row["revoked_at"])
