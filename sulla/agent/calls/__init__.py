"""Tool calls: what may be called, what comes of it, and which words it taints."""
