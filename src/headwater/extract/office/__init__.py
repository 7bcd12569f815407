"""Readers of word processors' files."""
