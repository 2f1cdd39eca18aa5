"""The store: its protocol, what every backend must hold, and the backends."""
