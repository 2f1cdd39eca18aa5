"""What the wires of several services have in common: lines, events, replies as they come in, keys, failures."""
