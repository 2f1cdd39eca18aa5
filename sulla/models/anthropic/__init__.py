"""Claude, by the SDK of its maker."""
