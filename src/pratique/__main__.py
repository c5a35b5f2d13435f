"""``python -m pratique``: the same as the ``pratique`` command."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # ``-m`` puts the current directory first on the path. It may hold what a model wrote, and a file of
    # it must not take the place of an installed module: ``check`` adds it again, last.
    if sys.path and sys.path[0] == os.getcwd():
        del sys.path[0]

    from pratique.cli import main

    sys.exit(main())
