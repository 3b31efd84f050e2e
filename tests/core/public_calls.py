# SPDX-License-Identifier: GPL-3.0-or-later
"""Every public call of the core, with arguments that it takes."""

import inspect

import numpy as np

import standalone_core as sc
from standalone_core import triangle

from .cameras import perspective

VERTICES = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [4, 4, 0], [0, 0, 3.0]])
TRIANGLES = np.array([[0, 1, 2], [1, 3, 2], [0, 1, 4]], dtype=np.int32)
SOLID = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
CORNERS = {"a": (0, 0, 0), "b": (4, 0, 0), "c": (0, 4, 0)}
RAY = {"origin": (1.0, 1, 5), "direction": (0, 0, -1.0)}
RAYS = {"origins": [(1.0, 1, 5), (9, 9, 5)], "directions": (0, 0, -1.0)}
CULLED = {"max_distance": 9.0, "cull": None}
MATRIX = np.array([[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1.0]])
PLANES = np.array([[1, 0, 0, 1], [-1, 0, 0, 5.0]])
LIMITS = (0.0, 9.0)


class Things:
    """Makers of what has methods; of all but a tree there is more to be asked without it."""

    def __init__(self, engine="numpy"):
        self.engine = engine

    def mesh(self):
        return sc.Mesh(VERTICES, TRIANGLES, [7, 7, 8], self.engine)

    def built_mesh(self):
        mesh = self.mesh()
        mesh.build()
        return mesh

    def polygon_mesh(self):
        return sc.PolygonMesh(VERTICES, [0, 1, 3, 2, 0, 1, 4], [4, 3], engine=self.engine)

    def built_polygons(self):
        mesh = self.polygon_mesh()
        mesh.build()
        return mesh

    def scene(self):
        scene = sc.Scene()
        scene.add(self.mesh())
        scene.add(self.built_mesh(), MATRIX, "moved")
        return scene

    def solid(self):
        return sc.Mesh(VERTICES[[0, 1, 2, 4]], SOLID, engine=self.engine)

    def solid_polygons(self):
        return sc.PolygonMesh(VERTICES[[0, 1, 2, 4]], np.ravel(SOLID), 3, engine=self.engine)

    def solid_scene(self):
        scene = sc.Scene()
        scene.add(self.solid())
        return scene

    def camera(self):
        return sc.Camera(np.eye(4), perspective(), 64, 48)

    def plane(self):
        return sc.Plane((0, 0, 1), -1)

    def sphere(self):
        return sc.Sphere((0, 0, 0), 2)

    def box(self):
        return sc.Box((-1, -1, -1), (1, 1, 1))

    def ray(self):
        return sc.Ray(*RAY.values())

    def region(self):
        return sc.Region.of(PLANES)

    def instance(self):
        return self.scene()[1]

    def tree(self):
        return self.built_mesh().tree

    def tree_build(self):
        return self.mesh().build_in_thread()

    def ray_hits(self):
        return self.mesh().cast_rays(*RAYS.values())

    def triangles(self):
        return self.mesh().triangles_in(self.region())

    def places(self):
        return self.mesh().places([0, 1], [[0.5, 0.25, 0.25], [0, 1.0, 0]])

    def polygon_places(self):
        return self.polygon_mesh().places([0, 1], [[0.5, 0.25, 0.25], [0, 1.0, 0]])

    def surface_path(self):
        return self.mesh().surface_path((0, (0.5, 0.25, 0.25)), (1, (0, 1.0, 0)))

    def thickness(self):
        return self.mesh().thickness(self.places())

    def closest_points(self):
        return self.mesh().closest_point([(0, 0, 1), (9, 9, 9.0)])


TESTS = ("plane_parametric", "moller_trumbore", "watertight")
WEIGHTS = ("barycentric", "contains_barycentric", "contains_angle_sum", "contains_same_side")


def _casting(exclude, only):
    left = {"exclude": exclude, "only": only, "min_distance": 0.5, "border": "closed"}
    one = {**RAY, **CULLED, **left}
    many = {**RAYS, **CULLED, **left, "threads": 2, "invalid": "miss"}
    calls = {"ray_cast": one, "ray_cast_all": {**one, "max_hits": 2}}
    calls |= dict.fromkeys(("cast_rays", "any_hit", "count_hits"), many)
    calls["cast_rays_all"] = {**many, "max_hits": 2}
    near = {"points": [(0, 0, 1.0)], "max_distance": 9.0, **left, "threads": 2, "invalid": "miss"}
    del near["min_distance"], near["border"]
    vertex = {name: near[name] for name in ("points", "max_distance", "threads")}
    return {**calls, "closest_point": near, "nearest_vertex": vertex}


def _of_things():
    face, faces = 0, np.array([0, 1])
    how = {"progress": None, "threads": 2}
    building = {"build": how, "build_in_thread": how, "cancel": {}}
    region = {"triangles_in": {"region": sc.Region.of(PLANES)}}
    matrix = {"matrix": MATRIX, "convention": "opengl"}
    casting, points = _casting([2], [0, 1]), {"points": [(0, 0, 1.0)], "threads": 2}
    ruled = {**points, "rule": "crossings"}
    inside = {"contains": ruled, "signed_distance": ruled}
    inside["winding_number"] = {**points, "max_error": 0.01}
    places = {
        "places": {"triangle": [0, 1], "weights": [[0.5, 0.25, 0.25], [0, 1.0, 0]]},
        "thickness": {"places": Things().places(), "method": "sphere", "threads": 2},
        "surface_path": {"start": (0, (1, 0, 0)), "end": (1, (0, 1, 0.0)), "max_windows": 9},
        "at_uv": {"uv": VERTICES[:, :2], "points": [(1.0, 1), (9, 9)]},
    }
    surface = {**casting, "closest_point_all": casting["closest_point"], **places}
    mesh = {
        **surface,
        **building,
        **region,
        "refit": {"vertices": VERTICES + 1, "threads": 2},
        "validate": {},
    }
    polygons = {
        **surface,
        **building,
        **region,
        "face_of": {"triangle": 1},
        "faces_of": {"triangles": faces},
        "triangles_of": {"faces": faces},
        "vertex_normals": {"vertices": faces},
        "face_corners": {"faces": faces},
        "as_mesh": {},
        "triangle_corners": {"triangle": 1},
        "split_face": {"face": face},
        "split_face_many": {"faces": faces},
        "triangle_vertices": {"triangle": 1},
        "corner_vertices": {"corners": faces},
        "positions": {"vertices": faces},
        "continue_build": {},
        "thickness": {**places["thickness"], "places": Things().polygon_places()},
        "at_uv": {**places["at_uv"], "uv": VERTICES[[0, 1, 3, 2, 0, 1, 4], :2]},
    }
    pixel = {"x": 3.5, "y": 4.5}
    columns = {"take": {"rows": [0]}, "as_dict": {}, "as_structured": {}}
    return {
        "mesh": mesh,
        "built_mesh": mesh,
        "polygon_mesh": polygons,
        "built_polygons": polygons,
        "scene": {
            **_casting([0], [0, 1]),
            "add": dict(mesh=sc.Mesh(VERTICES, TRIANGLES), **matrix, name="x"),
            "add_many": {
                "mesh": sc.Mesh(VERTICES, TRIANGLES),
                "matrices": [MATRIX, MATRIX],
                "names": ["a", "b"],
                "convention": "opengl",
            },
            "set_matrix": dict(instance=0, **matrix),
            "set_matrices": {
                "instances": [0, 1],
                "matrices": [MATRIX, MATRIX],
                "convention": "opengl",
            },
            "remove": {"instance": 0},
            "remove_many": {"instances": [0, 1]},
            "replace": {"instance": 0, "mesh": sc.Mesh(VERTICES, TRIANGLES), "name": "x"},
            "named": {"name": "moved"},
            "triangles_in": {"region": sc.Region.of(PLANES), "exclude": [0], "only": [1]},
            "__getitem__": {"instance": 0},
        },
        "solid": inside,
        "solid_polygons": inside,
        "solid_scene": inside,
        "camera": {
            "ray": pixel,
            "rays": pixel,
            "project": {"point": (0, 0, -5.0), "world": MATRIX},
            "is_in_front": {"point": (0, 0, -5.0)},
            "pixel_size": {"point": (0, 0, -5.0)},
            "unproject": dict(**pixel, depth=0.5, world=MATRIX),
            "point_on_plane": dict(**pixel, plane=sc.Plane((0, 0, 1), 5)),
        },
        "plane": {
            "signed_distance": {"points": (1.0, 2, 3)},
            "side": {"points": (1.0, 2, 3)},
            "intersect_ray": {"ray": sc.Ray(*RAY.values())},
            "intersect_line": {"ray": sc.Ray(*RAY.values())},
            "intersect_segment": {"a": (0, 0, 0), "b": (0, 0, 3)},
        },
        "sphere": {
            "contains": {"points": (1.0, 0, 0)},
            "distance": {"points": (1.0, 0, 0)},
            "intersect_ray": {"ray": sc.Ray(*RAY.values())},
            "case": {"ray": sc.Ray(*RAY.values())},
        },
        "box": {
            "contains": {"points": (1.0, 0, 0)},
            "intersect_ray": {"ray": sc.Ray(*RAY.values())},
        },
        "ray": {"at": {"t": 2.0}, "transformed": matrix},
        "region": {"moved": matrix, "cut": {"other": sc.Region.of(PLANES)}},
        "tree_build": {"cancel": {}, "wait": {"timeout": 1.0}},
        "ray_hits": {**columns, "__getitem__": {"rows": 0}, "reason": {"row": 1}},
        "triangles": columns,
        "closest_points": {**columns, "reason": {"row": 1}},
        "places": {
            **columns,
            "points": {"vertices": VERTICES},
            "normals": {"vertices": VERTICES},
            "interpolate": {"values": VERTICES},
        },
        "surface_path": {"as_dict": {}},
        "thickness": columns,
    }


def _of_functions():
    point = {"point": (1.0, 1, 0), **CORNERS}
    cull, limits = {"cull": None}, {"limits": LIMITS}
    intrinsic = [[50, 0, 32], [0, 50, 24], [0, 0, 1]]
    picture = {"width": 64, "height": 48, "near": 0.5, "far": 50.0}
    segment, segments = (
        {"start": (1, 1, 5), "end": (1, 1, -5)},
        {"starts": (1, 1, 5), "ends": (1, 1, -5)},
    )
    tests = {
        f"{test}{kind}": {**given, **CORNERS, **rest}
        for test in TESTS
        for kind, given, rest in (
            ("", {"ray": sc.Ray(*RAY.values())}, {**cull, **limits}),
            ("_many", RAYS, {**cull, **limits}),
            ("_segment", segment, cull),
            ("_segments", segments, cull),
        )
    }
    return {
        **{(triangle, name): given for name, given in tests.items()},
        **{(triangle, name): point for name in WEIGHTS},
        (triangle, "interpolate"): {"values": np.eye(3), "weights": (0.2, 0.3, 0.5)},
        (sc.Plane, "from_points"): CORNERS,
        (sc.Plane, "from_point_normal"): {"point": (0, 0, 1), "normal": (0, 0, 2)},
        (sc.Sphere, "bounding"): {"points": VERTICES},
        (sc.Box, "bounding"): {"points": VERTICES},
        (sc.Camera, "look_at"): {**picture, "eye": (0, -5.0, 1), "target": (0, 0, 0), "fov": 0.7},
        (sc.Camera, "pinhole"): {**picture, "intrinsic": intrinsic, "extrinsic": MATRIX},
        (sc.Region, "of"): {"planes": PLANES},
        (sc.RayHits, "from_structured"): {"array": Things().ray_hits().as_structured()},
        (sc, "Places"): {
            "vertices": [[0, 1, 2], [1, 3, 2]],
            "weights": [[0.5, 0.25, 0.25], [0, 1.0, 0]],
            "triangle": [0, 1],
        },
        (sc, "Plane"): {"normal": (0, 0, 2), "offset": -4.0},
        (sc, "Sphere"): {"center": (0, 0, 0), "radius": 1.0},
        (sc, "Box"): {"lower": (0, 0, 0), "upper": (1, 1, 1)},
        (sc, "Ray"): RAY,
        (sc, "Camera"): {
            "view": np.eye(4),
            "projection": perspective(),
            "width": 64,
            "height": 48,
            "convention": "opengl",
            "offset": (0.0, 0.0),
            "depth_range": (0.0, 1.0),
            "reversed_z": None,
        },
        (sc, "Mesh"): {
            "vertices": VERTICES,
            "triangles": TRIANGLES,
            "faces": [0, 1, 2],
            "engine": "auto",
            "building": "auto",
            "border": "closed",
        },
        (sc, "PolygonMesh"): {
            "vertices": VERTICES,
            "corners": [0, 1, 3, 2, 0, 1, 4],
            "sizes": [4, 3],
            "split": None,
            "engine": "auto",
            "building": "auto",
        },
    }


def all_calls(engine="numpy"):
    """All public calls: name to a maker of the callable, and its arguments."""
    things = Things(engine)
    calls = {
        f"{thing}.{method}": (lambda t=thing, m=method: getattr(getattr(things, t)(), m), given)
        for thing, methods in _of_things().items()
        for method, given in methods.items()
    }
    for (owner, name), given in _of_functions().items():
        calls[f"{owner.__name__}.{name}"] = (lambda o=owner, n=name: getattr(o, n)), given
    return calls


COLUMNS = ("RayHits", "Triangles", "ClosestPoints", "Places", "Thickness")
NOT_ASKED = {"Mesh": {"save", "load"}}
NOT_ASKED |= {name: {"as_frame", "reshape"} for name in COLUMNS}
"""Methods of files and of pandas, which are tested elsewhere, and one of positions alone."""


def public_methods(cls):
    """Names of methods that are not of Python's own."""
    return {name for name, _ in inspect.getmembers(cls, callable) if not name.startswith("_")}
