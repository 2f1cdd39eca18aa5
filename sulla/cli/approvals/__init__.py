"""`sulla approvals`."""
