"""The door to the daemon's values. Running one is behind `sulla.daemon.run`, which loads a server and everything
else.
"""

from sulla.daemon.config import Examined, Settings, examine_settings, find_home, load_settings
from sulla.daemon.home import Home, Whereabouts
from sulla.daemon.system import SystemClock, random_id, random_token

__all__ = [
    "Examined",
    "Home",
    "Settings",
    "SystemClock",
    "Whereabouts",
    "examine_settings",
    "find_home",
    "load_settings",
    "random_id",
    "random_token",
]
