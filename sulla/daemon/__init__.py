"""The daemon: settings, core services, runtimes of agents, health, doctor, put together from the capabilities."""
