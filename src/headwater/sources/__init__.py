"""Sources to leads: a poll session per kind of source, without I/O of its own."""
