"""What files can do to a process; run in workers by the tests."""

import os
import subprocess
import sys
import time
from pathlib import Path

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.resources.drafts import scratch_folder


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
    if task.startswith("help"):
        with scratch_folder() as folder:
            Path(folder, "copy").write_text("half")
            sleep = [sys.executable, "-c", "import time; time.sleep(1000)", task]
            orphan = f"import subprocess; subprocess.Popen({sleep!r})"
            subprocess.run([sys.executable, "-c", orphan], check=False)
            subprocess.run(sleep, check=False)
    if task.startswith("feed"):
        hold = "import sys, time; held = bytearray(b'x') * 700_000_000; time.sleep(1000)"
        words = [sys.executable, "-c", hold, task]
        started = [subprocess.Popen(words) for _ in range(2)]
        for process in started:
            process.wait()
    if task == "gulp":
        bytearray(b"x") * 20_000_000_000
    if task == "gulp elsewhere":
        words = [sys.executable, "-c", "bytearray(b'x') * 20_000_000_000"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.stderr, os.getpid()
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
