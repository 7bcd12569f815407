"""What other programs and hubs call by addresses that do not change: health, runs, queues and WebSub, each in its own shape."""
