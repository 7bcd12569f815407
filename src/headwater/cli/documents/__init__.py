"""Commands that read or hand out what is stored."""
