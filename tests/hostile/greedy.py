"""A process that takes what it can get; started by tests with bounds."""

import sys
import time

from mocap_reroot.resources.processes import bounded_arguments

if __name__ == "__main__":
    (what,) = bounded_arguments()
    if what == "memory":
        bytearray(b"x") * 20_000_000_000
    if what == "time":
        while True:
            time.process_time()
    if what == "sleep":
        time.sleep(1000)
    sys.exit(7)
