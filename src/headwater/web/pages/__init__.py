"""The web pages: server-rendered, each with a twin in JSON, for people who read, operate and review."""
