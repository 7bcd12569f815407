"""A cluster compared with one machine."""
