"""Sections to fields: deadlines, money, places, channels."""
