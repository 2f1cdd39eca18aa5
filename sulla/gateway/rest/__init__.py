"""The REST interface: the same methods over HTTP, its streams, and the OpenAPI document."""
