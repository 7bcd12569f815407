"""Bytes to readings: one reader per format, untrusted bytes in a child process."""
