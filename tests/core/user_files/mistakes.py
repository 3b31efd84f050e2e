# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes of users that type checkers find, one in each line that says so."""

import numpy as np

import standalone_core as sc

corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
mesh = sc.Mesh(corners, [(0, 1, 2)])
origins, down = np.array([(0.2, 0.2, 1.0), (5.0, 5.0, 5.0)]), (0.0, 0.0, -1.0)
camera = sc.Camera.look_at((0, -5, 0), (0, 0, 0), 640, 480, fov=1.0)
scene = sc.Scene()
hits = mesh.cast_rays(origins, down)

sc.Mesh("scan.ply")  # mistake: text is no mesh
sc.Mesh(corners, [(0.5, 1.0, 2.0)])  # mistake: floats are no indices
sc.Mesh(corners, [(0, 1, 2)], border="close")  # mistake: it is "closed"
mesh.cast_rays("rays.npz")  # mistake: text is no rays
mesh.cast_rays(["origin", "direction"], down)  # mistake: neither are lists of text
mesh.cast_rays(origins, down, cull="bakc")  # mistake: a typing error
mesh.ray_cast((0.2, 0.2, 1), down).distance  # mistake: there may be no hit
hits[0].triangle  # mistake: nor here
hits[hits.hit].distnce  # mistake: a typing error
mesh.contains(origins).triangle  # mistake: the answer is an array of bools
inside: int = mesh.contains([(0.1, 0.1, 0.1)])  # mistake: the same
mesh.contains((0.1, 0.1, 0.1)).all()  # mistake: of one point it is a bool
mesh.any_hit(origins, down).point  # mistake: the answer is an array of bools
mesh.any_hit((0.2, 0.2, 1.0), down).sum()  # mistake: of one ray it is a bool
mesh.count_hits(origins, down).hit  # mistake: the answer is an array of counts
mesh.signed_distance(origins, thread=2)  # mistake: it is "threads"
mesh.closest_point(origins)[0].point.x  # mistake: there may be no place
mesh.closest_point(origins, invalid="ignore")  # mistake: there is no such choice
camera.ray("320", 240)  # mistake: text is no number
camera.project((0, 0, 0))[0].sum()  # mistake: of one point it is a number
camera.is_in_front(origins).hit  # mistake: the answer is an array of bools
scene.add(corners)  # mistake: corners are no mesh
scene.cast_rays(origins, down, only="cube")  # mistake: it takes ids
for hit in hits:
    print(hit.face)  # mistake: misses are None
