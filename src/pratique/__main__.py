"""``python -m pratique``: the same as the ``pratique`` command."""

from __future__ import annotations

import sys

from pratique.cli import main

if __name__ == "__main__":
    sys.exit(main())
