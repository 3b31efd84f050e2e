# SPDX-License-Identifier: MIT
"""The building of a mesh's tree in a thread."""

import threading
from collections.abc import Callable

from .. import arguments
from ..concurrency.progress import Progress
from ..concurrency.thread_count import ThreadLimit, limit_here


class CancelledError(Exception):
    """Raised inside of a build that is to end; it does not leave this module."""


class TreeBuild:
    """A build that is under way, see :meth:`.Mesh.build_in_thread`.

    It may use as many threads as the call that makes it.

    Parameters
    ----------
    build : callable
        Takes a `progress` like the next one; builds, and puts the tree in place.
    progress : callable
        Told the share that is done, from 0 to 1.

    Attributes
    ----------
    error : BaseException or None
        What ended the build before it was done, other than :meth:`cancel`.
    share : float
        How much of it is done, from 0 to 1.
    threads : int or None
        How many threads it may use; None if that is for the process to say.

    Examples
    --------
    >>> from standalone_core import Mesh
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> build = mesh.build_in_thread()
    >>> mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1)).distance    # answered meanwhile, too
    1.0
    >>> build.wait(), build.error, build.share
    (True, None, 1.0)
    """

    def __init__(self, build: Callable[[Progress], None], progress: Progress) -> None:
        self._build = build
        self._progress = progress
        self._cancelled = False
        self.threads = limit_here()
        self.error: BaseException | None = None
        self.share = 0.0
        self._thread = threading.Thread(target=self._run, name="tree build")
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended: with a tree, cancelled, or with an `error`.

        In a forked process it has, without any: only the parent has the thread.
        """
        return not self._thread.is_alive()

    def __repr__(self) -> str:
        state = "failed" if self.error is not None else "ended" if self.done else "under way"
        return f"<TreeBuild {state}, {self.share:.0%} done>"

    def cancel(self) -> None:
        """Ask the build to end soon; without a tree, unless it is already there."""
        self._cancelled = True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the thread, at most `timeout` seconds; whether it has ended."""
        if timeout is not None:
            timeout = min(arguments.distance(timeout, "timeout"), threading.TIMEOUT_MAX)
        self._thread.join(timeout)
        return self.done

    def _run(self) -> None:
        try:
            with ThreadLimit(self.threads):
                self._build(self._report)
        except CancelledError:
            pass
        except BaseException as error:
            self.error = error

    def _report(self, done: float) -> None:
        if self._cancelled:
            raise CancelledError
        self.share = done
        self._progress(done)


def callable_progress(progress: Progress | None) -> Progress:
    """Return a caller's `progress`, or one that does nothing for None; DtypeError otherwise."""
    return arguments.callable_or_none(progress, "progress") or _ignore


def _ignore(done: float) -> None:
    """No progress is reported."""
