"""Makes `python -m solidbody` the same as `solidbody`."""

from solidbody.cli.app import main

main()
