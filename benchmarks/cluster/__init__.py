"""A cluster beside one machine."""
