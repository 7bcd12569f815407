"""Where and when the matches of a saved search are sent, as one choice: only what goes together can be chosen."""

from collections.abc import Iterable
from typing import Any

from headwater.model.saved_search import QUEUE_CHANNEL, SearchDelivery

# A queue takes documents one by one; digests are for people.
DIGESTS = (SearchDelivery.IMMEDIATELY, SearchDelivery.HOURLY, SearchDelivery.DAILY)


def delivery_choices(channels: Iterable[str], now: tuple[str, str] = ("", "")) -> list[dict[str, Any]]:
    """Each channel with its options; the feed alone is the choice without a channel. `now` is the channel and the delivery of
    the search: it stays among the choices when its channel is gone, so that saving something else does not change it."""
    pairs = [(name, rhythm.value) for name in sorted(channels) for rhythm in DIGESTS]
    pairs.append((QUEUE_CHANNEL, SearchDelivery.IMMEDIATELY.value))
    if now[0] and now not in pairs:
        pairs.append(now)
    return [
        {
            "value": f"{channel}/{rhythm}",
            "channel": channel,
            "delivery": rhythm,
            "is_chosen": (channel, rhythm) == now,
        }
        for channel, rhythm in pairs
    ]


def chosen_delivery(text: str) -> tuple[str, str | None]:
    """The channel and the delivery of a choice."""
    channel, _, rhythm = text.rpartition("/")
    return channel, (rhythm or None) if channel else None
