# SPDX-License-Identifier: GPL-3.0-or-later
"""An interrupt (Ctrl-C) ends every long call within half a second, and the mesh goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
import standalone_core as sc

signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell's background jobs ignore it.
engine, begin = sys.argv[1], 0.2
rng = np.random.default_rng(1)
count = 300_000
turn = rng.uniform(0, 2 * np.pi, (1, count)) + np.array([[0], [2], [4]])
fan = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=2).reshape(-1, 3)
flat = sc.Mesh(1e-95 * fan, np.arange(3 * count).reshape(3, count).T, engine=engine)
piled = sc.Mesh(fan[:3] * 0 + [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]] * count, engine=engine)
origins = np.tile([0.3, 0.3, 1.0], (100_000, 1))
below = (0.0, 0.0, -1.0)
on_it = (1e-97, 2e-97, 0.0), (0.1, 0.2, -1.0)  # t is 0, so tiny: nothing but integers tells
calls = {
    "ray_cast": lambda: flat.ray_cast(*on_it),
    "ray_cast_all": lambda: flat.ray_cast_all(*on_it),
    "cast_rays, few": lambda: piled.cast_rays(origins[:8000], below),
    "cast_rays, many": lambda: piled.cast_rays(origins, below),
    "cast_rays_all": lambda: piled.cast_rays_all(origins, below),
    "closest_point": lambda: piled.closest_point(origins),
}
for mesh in (flat, piled):
    mesh.build()
before = piled.ray_cast(origins[0], below).distance

def active():
    # Helpers wait a moment for the next call, and then end.
    for helper in [t for t in threading.enumerate() if t.name == "raypick helper"]:
        helper.join(5)
    return threading.active_count()

threads = active()
for name, call in calls.items():
    sent = []

    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(begin, interrupt)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        waited = time.process_time() - sent[0]
    else:
        sys.exit(f"{name} was over too soon, or went on")
    timer.join()
    limit = 0.5 * (1 if "ray_cast" in name else os.cpu_count() or 1)
    assert waited < limit, f"{name} took {waited} s of the processors to end"
    assert active() == threads, f"{name} goes on in a thread"
    assert piled.ray_cast(origins[0], below).distance == before
print("done")
"""


@pytest.mark.skipif(os.name == "nt", reason="a process cannot send itself a Ctrl-C alone")
def test_every_long_call_ends_soon_and_leaves_the_mesh_usable(engine):
    folder = Path(__file__).parents[3]
    command = [sys.executable, "-c", SCRIPT, engine]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr


SHORT_CALLS = """
import faulthandler, random, signal, sys, time
from standalone_core.concurrency import threads
from standalone_core.concurrency.threads import set_threads

sent = 0

def interrupt(*_):
    global sent
    sent += 1
    raise KeyboardInterrupt

faulthandler.dump_traceback_later(90, exit=True)
signal.signal(signal.SIGALRM, interrupt)
set_threads(3)
caught, rng = 0, random.Random(int(sys.argv[1]))
while caught < 2500:
    before = sent
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 2e-3))
        while sent == before:
            threads.on_all_cores(lambda x: time.sleep(1e-4 * (4 - x)), range(4), 10**9)
    except KeyboardInterrupt:
        caught += 1
assert caught == sent, (caught, sent)
print("done")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such alarm")
def test_interrupts_of_short_calls_reach_the_caller_and_no_thread_is_waited_for_in_vain():
    folder = Path(__file__).parents[3]
    command = [sys.executable, "-c", SHORT_CALLS, "7"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr
