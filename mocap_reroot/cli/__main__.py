"""``python -m mocap_reroot.cli``."""

from mocap_reroot.cli import main

main()
