"""`sulla service`: a daemon that runs by itself, under systemd or launchd."""
