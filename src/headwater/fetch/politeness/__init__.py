"""When a request may be sent: rate limits, budgets, robots.txt, rights reservations, circuit breakers."""
