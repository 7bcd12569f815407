"""The official gazette and open data as sources."""
