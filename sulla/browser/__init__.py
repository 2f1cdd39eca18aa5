"""A browser of the agents' own: pages that need scripts, and forms, in a Chromium that reaches the web alone."""
