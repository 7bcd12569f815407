"""Sites crawled from their start pages."""
