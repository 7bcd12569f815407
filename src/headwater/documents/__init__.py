"""Documents: cleaned, described, checked and compared with those that are stored."""
