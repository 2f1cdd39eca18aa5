"""Notes as places in a model's space: found by what they mean, whatever words they use."""
