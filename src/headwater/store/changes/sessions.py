"""Who is signed in to the web pages, as rows: they outlive the server, and every server sees them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine, delete, insert, select

from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.access import sessions

LONGEST_SESSION = timedelta(days=14)


@dataclass(frozen=True)
class SessionStore:
    """A session is named by the hash of what the browser keeps, so a copy of the database signs nobody in."""

    engine: Engine

    def begin(self, session: str, key_id: str, now: datetime, *, replaced: str | None = None) -> None:
        """`replaced` is the session that the browser had until now: it ends."""
        with write_transaction(self.engine) as connection:
            connection.execute(delete(sessions).where(sessions.c.created_at < now - LONGEST_SESSION))
            if replaced is not None:
                connection.execute(delete(sessions).where(sessions.c.id == replaced))
            connection.execute(insert(sessions).values(id=session, key_id=key_id, created_at=now))

    def find_key(self, session: str, now: datetime) -> str | None:
        """The key with which the session began, or None once it ended."""
        is_current = sessions.c.created_at >= now - LONGEST_SESSION
        with read_transaction(self.engine) as connection:
            query = select(sessions.c.key_id).where(sessions.c.id == session, is_current)
            key_id: str | None = connection.scalar(query)
            return key_id

    def end(self, session: str) -> None:
        with write_transaction(self.engine) as connection:
            connection.execute(delete(sessions).where(sessions.c.id == session))

    def end_all(self, key_id: str) -> int:
        """End the sessions of this key in all browsers; returns how many there were."""
        with write_transaction(self.engine) as connection:
            return connection.execute(delete(sessions).where(sessions.c.key_id == key_id)).rowcount
