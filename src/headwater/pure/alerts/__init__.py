"""Which stories somebody should be told of, and when a flashpoint is too quiet."""

from headwater.pure.alerts.rules import News, Rules, base_of, noteworthy, silent

__all__ = ["News", "Rules", "base_of", "noteworthy", "silent"]
