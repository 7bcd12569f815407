"""Who may ask for what, how often, under which host name, and how much a request may send."""
