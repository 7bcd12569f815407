"""What operators need: health, alarms, backup, restore, move, retention, checks."""
