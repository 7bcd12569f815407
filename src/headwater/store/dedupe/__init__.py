"""What later copies are recognised by."""
