"""The portals, their territories and sources."""
