"""What agents can do: the protocol of a tool, and the tools that come along."""
