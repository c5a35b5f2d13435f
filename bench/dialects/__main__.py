"""``python -m bench.dialects``."""

import sys

from bench.dialects.run import main

if __name__ == "__main__":
    sys.exit(main())
