"""Commands that work on files alone: they need no installation."""
