"""Readers of XML."""
