"""An invented wire: forms, what goes into them, and what happens to its stories on their way."""
