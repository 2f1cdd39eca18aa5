"""Values and promises, standard library only. There is no door: import the modules. Pure."""
