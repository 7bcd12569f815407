"""Settings: few, typed, read once."""
