"""What files can do to a process; run in workers by the tests."""

import os
import subprocess
import time
from pathlib import Path

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.resources.scratch import scratch_folder


def misbehave(task, tell):
    """Crash, hang, eat memory, fail or work, as the task says."""
    tell("read")
    if task == "crash":
        os.kill(os.getpid(), 11)
    if task == "exit":
        os._exit(3)
    if task == "hang":
        tell("smooth")
        time.sleep(1000)
    if task == "help":
        tell("read")
        with scratch_folder() as folder:
            Path(folder, "copy").write_text("half")
            subprocess.run(["sleep", f"1000.{os.getpid()}"], check=False)
    if task == "finalise":
        tell("smooth")
        _Dying()
    if task == "eat":
        hoard = []
        while True:
            hoard.append(bytearray(20_000_000))
            time.sleep(0.001)
    if task == "bug":
        raise ZeroDivisionError("a bug")
    if task == "input":
        raise MocapRerootError("the file is wrong")
    if task == "full":
        raise OSError(28, "No space left on device")
    if task == "keep":
        _kept.append(bytearray(os.urandom(1) * 200_000_000))
    return f"{task} done", os.getpid()


class _Dying:
    """Something that takes long to go: what is raised there, Python prints and forgets."""

    def __del__(self):
        time.sleep(1000)


_kept = []
