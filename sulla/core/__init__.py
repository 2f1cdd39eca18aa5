"""Values and protocols, standard library only. Pure."""
