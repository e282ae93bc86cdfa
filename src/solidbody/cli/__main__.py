"""Makes `python -m solidbody.cli` the same as `solidbody`."""

from solidbody.cli.app import main

main()
