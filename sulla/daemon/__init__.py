"""The door to the daemon's values. Running one is behind `sulla.daemon.run`, which loads a server and everything
else.
"""

from sulla.daemon.settings.config import Examined, Settings, examine_settings, load_settings

__all__ = [
    "Examined",
    "Settings",
    "examine_settings",
    "load_settings",
]
