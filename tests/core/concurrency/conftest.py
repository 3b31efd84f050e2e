# SPDX-License-Identifier: GPL-3.0-or-later
import threading

import pytest


@pytest.fixture
def helpers():
    """The threads that help, as a function that waits for their end; there are none at first."""

    def ended():
        found = [thread for thread in threading.enumerate() if thread.name == "raypick helper"]
        for thread in found:
            thread.join(60.0)
        assert not any(thread.is_alive() for thread in found)
        return found

    ended()
    return ended
