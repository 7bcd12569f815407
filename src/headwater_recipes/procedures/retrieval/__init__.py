"""Retrievers for an assistant."""
