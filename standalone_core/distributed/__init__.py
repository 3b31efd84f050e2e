# SPDX-License-Identifier: MIT
"""Casts of any number of rays, and surveys of any number of Blender files, on a cluster by Dask.

The functions of this module plan the work: they return Dask collections, which any of its
schedulers can compute, in threads of this process or on a cluster, with the same results to the
last bit. Dask is an extra, ``pip install "raypick-core[dask]"``. It is first imported when a
function here is called, which raises MissingPackageError if it is not installed.
"""

from .rays import RayArrays, cast_rays, cast_rays_all
from .survey import SurveyReport, SurveyTask, survey

__all__ = ["RayArrays", "SurveyReport", "SurveyTask", "cast_rays", "cast_rays_all", "survey"]
