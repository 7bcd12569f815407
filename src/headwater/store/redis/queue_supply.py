"""Moves items from lists on a Redis server into rows, so that a consumer that dies loses none.

Items are moved in one step from their queue to the list of a handover, which has a lease. They become rows and are then
removed. If a handover dies, its items return to the head of their queue once its lease has expired. Programs that pop
from the left of the queue are not disturbed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Any
from uuid import uuid4

import msgspec
import structlog

from headwater.model.ports import ListState, QueueItem, StoreItems
from headwater.redis_client import RedisClient, RedisScript

LEASE = timedelta(minutes=1)
IDS_AT_ONCE = 200
_log = structlog.get_logger()

TAKE = RedisScript("""
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[1])
redis.call('SADD', KEYS[4], ARGV[2])
for _ = 1, tonumber(ARGV[3]) do
  if not redis.call('LMOVE', KEYS[1], KEYS[2], 'LEFT', 'RIGHT') then break end
end
return redis.call('LRANGE', KEYS[2], 0, -1)
""")
SETTLE = RedisScript("""
for number = 2, #ARGV do redis.call('RPUSH', KEYS[4], ARGV[number]) end
redis.call('SREM', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1], KEYS[2])
""")
UNDO = RedisScript("""
if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
local count = 0
while redis.call('LMOVE', KEYS[2], KEYS[1], 'RIGHT', 'LEFT') do count = count + 1 end
redis.call('SREM', KEYS[4], ARGV[1])
return count
""")
STATE = RedisScript("""
return {redis.call('EXISTS', KEYS[2]), redis.call('LINDEX', KEYS[1], 0)}
""")


class PushedItem(msgspec.Struct, frozen=True):
    """The required fields of an item; without an id, a hash of the content is used."""

    document_id: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    id: Annotated[str, msgspec.Meta(max_length=200)] = ""


@dataclass(frozen=True)
class RedisQueueSupply:
    """`recipes` maps each queue to its recipe. Needs Redis 6.2 or Valkey."""

    server: RedisClient
    recipes: Mapping[str, str]
    lease: timedelta = LEASE

    def hand_over(self, queue: str, limit: int, keep: StoreItems) -> int:
        if queue not in self.recipes:
            return 0
        self._undo_expired(queue)
        handover = uuid4().hex
        raws: list[bytes] = self.server.run_script(
            TAKE,
            [queue, *_handover_keys(queue, handover)],
            [self.lease // timedelta(milliseconds=1), handover, limit],
        )
        if not raws:
            return 0
        parsed = [(raw, parse_item(raw, queue, self.recipes[queue])) for raw in raws]
        keep([item for _, item in parsed if item is not None])
        unreadable = [raw for raw, item in parsed if item is None]
        if unreadable:
            _log.warning(
                "unreadable items set aside", queue=queue, count=len(unreadable), list=_unreadable_key(queue)
            )
        handover_list, lease, handovers = _handover_keys(queue, handover)
        self.server.run_script(
            SETTLE, [handover_list, lease, handovers, _unreadable_key(queue)], [handover, *unreadable]
        )
        return len(raws)

    def _undo_expired(self, queue: str) -> None:
        (names,) = self.server.execute([("SMEMBERS", f"{queue}:handovers")])
        for name in sorted(raw_name.decode() for raw_name in names):
            count = self.server.run_script(UNDO, [queue, *_handover_keys(queue, name)], [name])
            if count:
                _log.warning("handover undone", queue=queue, items=count)

    def queue_lengths(self) -> Mapping[str, int]:
        queues = sorted(self.recipes)
        lengths = self.server.execute([("LLEN", queue) for queue in queues])
        return {queue: length for queue, length in zip(queues, lengths, strict=True) if length}

    def peek(self, queue: str, limit: int) -> Sequence[Mapping[str, Any]]:
        if queue not in self.recipes:
            return []
        (raws,) = self.server.execute([("LRANGE", queue, 0, limit - 1)])
        parsed = ((raw, parse_item(raw, queue, "")) for raw in raws)
        return [item.payload if item else {"unreadable": repr(raw[:200])} for raw, item in parsed]

    def queues(self) -> Sequence[str]:
        return sorted(self.recipes)

    def list_state(self, queue: str) -> ListState:
        """In one step: a server that loses its data between two would show an empty list that it seems to remember."""
        remembers, raw_head = self.server.run_script(STATE, [queue, _complete_key(queue)], [])
        head = None if raw_head is None else parse_item(raw_head, queue, "")
        return ListState(bool(remembers), head.id if head else None if raw_head is None else "")

    def listed_ids(self, queue: str) -> frozenset[str]:
        ids: set[str] = set()
        start = 0
        while raws := self.server.execute([("LRANGE", queue, start, start + IDS_AT_ONCE - 1)])[0]:
            ids |= {item.id for raw in raws if (item := parse_item(raw, queue, "")) is not None}
            start += IDS_AT_ONCE
        return frozenset(ids)

    def remember(self, queue: str) -> None:
        self.server.execute([("SET", _complete_key(queue), "1")])


def parse_item(raw: bytes, queue: str, recipe: str) -> QueueItem | None:
    """None if no consumer could use it."""
    try:
        header, payload = (
            msgspec.json.decode(raw, type=PushedItem),
            msgspec.json.decode(raw, type=dict[str, Any]),
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not (header.document_id.isprintable() and header.id.isprintable()):
        return None
    item_id = header.id or sha256(raw).hexdigest()
    return QueueItem(id=item_id, queue=queue, recipe=recipe, document=header.document_id, payload=payload)


def _handover_keys(queue: str, name: str) -> tuple[str, str, str]:
    """The keys of a handover's list, of its lease, and of the set of all handovers."""
    return f"{queue}:handover:{name}", f"{queue}:handover:{name}:lease", f"{queue}:handovers"


def _complete_key(queue: str) -> str:
    """The key of the marker that is gone when the server has lost its data."""
    return f"{queue}:complete"


def _unreadable_key(queue: str) -> str:
    return f"{queue}:unreadable"
