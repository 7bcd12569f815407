"""What `import headwater` offers to Python programs: functions over one's own data, and open installations."""
