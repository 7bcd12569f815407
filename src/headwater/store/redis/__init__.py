"""Markers and lists on a Redis server, for other programs."""
