"""What files can do to a process; run in workers by the tests."""

import os
import time

from mocap_reroot.errors import MocapRerootError


def misbehave(task):
    """Crash, hang, eat memory, fail or work, as the task says."""
    if task == "crash":
        os.kill(os.getpid(), 11)
    if task == "exit":
        os._exit(3)
    if task == "hang":
        time.sleep(1000)
    if task == "eat":
        hoard = []
        while True:
            hoard.append(bytearray(20_000_000))
            time.sleep(0.001)
    if task == "bug":
        raise ZeroDivisionError("a bug")
    if task == "input":
        raise MocapRerootError("the file is wrong")
    return f"{task} done"
