"""Changes that operators and other programs make: sources, queues, replays, quarantine, runs."""
