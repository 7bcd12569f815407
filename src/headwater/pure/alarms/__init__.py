"""What is worth an alarm, and when to keep quiet about it."""

from headwater.pure.alarms.deciding import Concern, Ruling, decide
from headwater.pure.alarms.rot import Rot, rot
from headwater.pure.alarms.silence import Silence, longest_quiet, silence

__all__ = ["Concern", "Rot", "Ruling", "Silence", "decide", "longest_quiet", "rot", "silence"]
