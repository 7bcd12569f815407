"""Pages that need JavaScript: Chromium without a network of its own."""
