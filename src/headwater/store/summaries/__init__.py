"""Requests to a language model and their batches, as rows."""
