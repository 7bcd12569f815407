"""Subjects and named entities found in text."""
