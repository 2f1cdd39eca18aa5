"""Conversations: records, their fold, the lease under which one process works, and what is next."""
