# SPDX-License-Identifier: MIT
"""Rays of any number, and pictures of any number of files, on any number of machines, by Dask.

The functions of this module plan the work: they return collections of Dask, which its schedulers
compute, from threads of this process to a cluster, all with the same code and the same results to
the last bit. Dask is an extra, ``pip install "raypick-core[dask]"``; it is not imported before a
function here is called, and MissingPackageError says so where it is not installed.
"""

from .rays import RayArrays, cast_rays, cast_rays_all
from .survey import SurveyReport, SurveyTask, survey

__all__ = ["RayArrays", "SurveyReport", "SurveyTask", "cast_rays", "cast_rays_all", "survey"]
