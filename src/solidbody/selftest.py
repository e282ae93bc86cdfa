"""Makes `python -m solidbody.selftest` tell whether this installation works."""

import sys

from solidbody.cli.selftest import main

if __name__ == "__main__":
    sys.exit(main())
