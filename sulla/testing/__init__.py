"""Shipped doubles: what people need to test their own agents, tools and clients against Sulla."""
