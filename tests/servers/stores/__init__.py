"""Real servers of stores: a Redis and a PostgreSQL, each on a free port with a folder of its own."""
