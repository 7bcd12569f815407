"""What raises and clears an alarm, and the rows of alarms."""
