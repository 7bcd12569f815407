"""Documents clustered into stories, from vectors alone."""
