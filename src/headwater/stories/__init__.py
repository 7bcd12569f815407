"""Stories: documents of one group that report the same event."""
