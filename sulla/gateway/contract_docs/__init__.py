"""The documents that say what the gateway speaks, made from its tables: AsyncAPI, OpenAPI, the forms of events."""
