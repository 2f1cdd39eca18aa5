"""`python -m sulla`."""

import sys

from sulla.cli.main import main

sys.exit(main())
