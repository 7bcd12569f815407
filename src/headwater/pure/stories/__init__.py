"""Documents that tell one story: decided from vectors, with no I/O, no clock and no chance."""

from headwater.pure.stories.dividing import PROFILES, Profile, divide
from headwater.pure.stories.items import Item
from headwater.pure.stories.telling import tell

__all__ = ["PROFILES", "Item", "Profile", "divide", "tell"]
