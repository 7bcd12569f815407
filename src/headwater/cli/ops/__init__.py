"""Commands for operators: health, backup, move, servers."""
