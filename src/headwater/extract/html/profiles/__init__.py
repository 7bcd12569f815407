"""Other ways to read a page, by name: `headwater extract --profile`."""
