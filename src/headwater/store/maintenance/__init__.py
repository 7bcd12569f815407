"""Retention, orphans, snapshots, and the schedule of maintenance tasks."""
