"""The HTTP client: requests, redirects, bodies within limits, deadlines."""
