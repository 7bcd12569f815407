"""One simulated day of thousands of feeds: what grows, what is late, what it costs."""
