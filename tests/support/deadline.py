"""How long a test waits for an event before it gives up.

The number only ends a test that hangs. It is generous, because a loaded machine may need minutes for what takes a second.
"""

from datetime import timedelta

DEADLINE = 300.0
LONGEST_RUN = timedelta(seconds=DEADLINE)
