"""HTTP: the API for programs, queues over HTTP, and the WebSub server."""
