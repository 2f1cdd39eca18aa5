"""One turn: its graph, its nodes, who works on it, and what it is told beside the conversation."""
