"""`python -m sulla`."""

import sys

from sulla.cli import main

sys.exit(main())
