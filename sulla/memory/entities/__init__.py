"""People, places, projects and things that conversations name, and what is known of them."""
