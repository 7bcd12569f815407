"""Which addresses may be reached: no private address unless it is allowed."""
