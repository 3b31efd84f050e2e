# SPDX-License-Identifier: GPL-3.0-or-later
"""Dask, if it is installed, and a cluster of three workers, each a process of its own."""

import warnings

import pytest

from ..peers import peer


@pytest.fixture(autouse=True)
def _warnings_of_dask_are_its_own(_warnings_are_errors):
    """Let Dask warn of its own code: for one of what pandas will not have any more."""
    warnings.filterwarnings("ignore", module=r"(dask|distributed)\b")


@pytest.fixture(scope="session")
def dask():
    """Return Dask with its arrays."""
    peer("dask.array")
    return peer("dask")


@pytest.fixture(scope="session")
def da(dask):
    """Return the module of Dask's arrays."""
    return dask.array


@pytest.fixture(scope="session")
def client(dask):
    """Return a client of three workers of one thread each; a worker that dies is replaced."""
    distributed = peer("distributed")
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
