"""Child processes that parse untrusted bytes within limits of time and memory."""
