"""What is kept of the routes that turns took, for whoever has to answer for them."""
