"""`python -m bnsearch` is the command line."""

import sys

from bnsearch.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
