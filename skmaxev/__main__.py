"""``python -m skmaxev``: the command line."""

import sys

from skmaxev.cli import main

if __name__ == "__main__":
    sys.exit(main())
