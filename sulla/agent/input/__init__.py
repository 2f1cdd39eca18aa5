"""What people write, looked at before a model sees it: hidden characters, orders in disguise, spam."""
