"""The door to the daemon's values. Running one is behind `sulla.daemon.run`, which loads a server and everything
else.
"""

from sulla.daemon.config import Settings, find_home, load_settings
from sulla.daemon.home import Home, Whereabouts
from sulla.daemon.system import SystemClock, random_id, random_token

__all__ = ["Home", "Settings", "SystemClock", "Whereabouts", "find_home", "load_settings", "random_id", "random_token"]
