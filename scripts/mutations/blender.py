# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of the extension: the bridge to Blender's data, following, history and inspector."""

from __future__ import annotations

from .mutant import Mutant


def _mutant(file: str, old: str, new: str, tests: str, folder: str = "blender") -> Mutant:
    """One in a file of the extension."""
    paths = " ".join(f"tests/{folder}/{test}" for test in tests.split())
    return Mutant(f"blender_addon/{file}", old, new, paths)


_WHAT_IS_SHOWN = (
    _mutant(
        "bridge/mesh/scene_mesh.py",
        "np.repeat(hidden, np.subtract(sizes, 2))",
        "np.repeat(hidden, np.subtract(sizes, 1))",
        "bridge/mesh/test_hidden_faces.py",
    ),
    _mutant(
        "bridge/scene/changes.py",
        "self.may_be_removed()\n        return False",
        "return False",
        "bridge/scene/test_changes.py",
    ),
    _mutant(
        "bridge/scene/changes.py",
        'getattr(update.id.original, "mode", None) == "SCULPT"',
        "False",
        "test_modes.py::test_a_stroke_of_the_brush_is_seen_while_it_goes_on_and_after",
        "windowed",
    ),
    _mutant(
        "bridge/scene/changes.py",
        "if not pending.any:\n        pending.forget_everything()",
        "if False:\n        pending.forget_everything()",
        "session/test_following.py::test_a_pick_in_a_handler_of_a_frame_change_leaves_nothing_stale",
    ),
    _mutant(
        "bridge/scene/instances.py",
        "evaluated.show_in_front or owner.show_in_front",
        "evaluated.show_in_front",
        "bridge/scene/test_instances.py",
    ),
    _mutant(
        "bridge/scene/instances.py",
        "not {evaluated.display_type, owner.display_type}",
        "not {evaluated.display_type}",
        "test_field_notes.py::"
        "test_02_instances_are_as_solid_as_their_object_and_as_what_makes_them",
    ),
    _mutant(
        "bridge/mesh/flat_mesh.py",
        "margin = 16 * EPS * np.abs(box)",
        "margin = 0 * EPS * np.abs(box)",
        "bridge/mesh/test_flat_mesh.py",
    ),
    _mutant(
        "bridge/scene/snapshot.py",
        "{row.owner, row.original.as_pointer()} & rule.exclude",
        "{row.owner} & rule.exclude",
        "bridge/mesh/test_original_mesh.py::test_instances_go_with_what_is_left_out",
    ),
    _mutant(
        "bridge/mesh/cache.py",
        "if held <= limit or mesh.used > since:",
        "if held <= limit:",
        "test_memory.py",
    ),
    _mutant(
        "bridge/scene/unpickable.py",
        "entry <= leave and entry < most",
        "entry <= leave",
        "bridge/scene/test_unpickable.py",
    ),
)

_HOW_IT_IS_SEEN = (
    _mutant(
        "bridge/view/cameras.py",
        "width = render.resolution_x * render.resolution_percentage // 100",
        "width = render.resolution_x",
        "bridge/view/test_cameras.py::test_the_render_camera_sees_as_world_to_camera_view_says",
    ),
    _mutant(
        "bridge/view/cameras.py",
        "evaluated.matrix_world.normalized()",
        "evaluated.matrix_world",
        "bridge/view/test_cameras.py::test_the_render_camera_sees_as_world_to_camera_view_says",
    ),
    _mutant(
        "bridge/view/clip.py",
        "_ROUNDING = 2.0**-22",
        "_ROUNDING = 0.0",
        "bridge/view/test_clip.py::test_the_matrix_alone_leaves_out_nothing_that_is_seen",
    ),
    _mutant(
        "bridge/view/clip.py",
        "count = 4 if getattr",
        "count = 6 if getattr",
        "bridge/view/test_clip.py::test_points_in_front_of_all_planes_are_seen",
    ),
    _mutant(
        "bridge/query.py",
        "front=not hit.front",
        "front=hit.front",
        "bridge/view/test_clip.py::test_what_is_before_an_orthographic_near_plane_is_seen_from_the_same_side",
    ),
    _mutant(
        "bridge/query.py",
        "key=lambda hit: hit.instance in behind",
        "key=lambda hit: hit.instance not in behind",
        "bridge/test_snap_places.py::test_what_is_drawn_in_front_stays_first_where_it_snaps_farther_away",
    ),
    _mutant(
        "bridge/occlusion.py",
        "facing[found.instance == instance] *= -1.0",
        "facing[found.instance == instance] *= 1.0",
        "bridge/test_tolerance.py::test_what_is_culled_is_not_taken",
    ),
    _mutant(
        "bridge/tolerance.py",
        "> _SINGLE * size",
        ">= 0.0 * size",
        "bridge/test_tolerance.py::test_tiles_that_lie_flush_beside_each_other_do_not_displace_each_other",
    ),
    _mutant(
        "bridge/snapping.py",
        "np.flatnonzero(counts[rows] == 1)",
        "np.flatnonzero(counts[rows] >= 1)",
        "bridge/test_snap.py::test_diagonals_of_a_face_are_no_edges",
    ),
)

_WHAT_IS_TOLD = (
    _mutant(
        "bridge/placing.py",
        "return np.asarray(inside / inside.sum())",
        "return np.asarray(inside)",
        "operators/test_place.py::test_weights_with_few_digits_are_made_to_add_up_to_one",
    ),
    _mutant(
        "bridge/placing.py",
        "if values.min() < -_SUM_TOLERANCE:",
        "if values.max() < -_SUM_TOLERANCE:",
        "operators/test_place.py::test_places_that_are_not_there_are_told",
    ),
    _mutant(
        "bridge/original/trace.py",
        "levels = min(levels, scene.render.simplify_subdivision)",
        "levels = max(levels, scene.render.simplify_subdivision)",
        "bridge/original/test_trace.py::test_the_scenes_simplification_limits_subdivision",
    ),
    _mutant(
        "bridge/original/mirror_seam.py",
        "if len(different) < len(seam):",
        "if len(different) > len(seam):",
        "bridge/original/test_trace.py::test_a_rim_cannot_hide_what_merging_lost",
    ),
    _mutant(
        "bridge/original/face_origin.py",
        "self._quads: int = 4 ** (levels - 1)",
        "self._quads: int = 4**levels",
        "bridge/original/test_trace.py::test_subdivision_leads_back_to_the_face_divided",
    ),
    _mutant(
        "bridge/attributes.py",
        "nearest = max(range(3), key=barycentric.__getitem__)",
        "nearest = min(range(3), key=barycentric.__getitem__)",
        "bridge/test_attributes.py::test_a_text_is_that_of_the_nearest_corner",
    ),
)

_WHAT_IS_KEPT = (
    _mutant(
        "bridge/relocation.py",
        "front=hit.front != is_flipped",
        "front=hit.front",
        "session/test_following.py::test_with_flipped_normals_it_is_the_same_place_from_the_other_side",
    ),
    _mutant(
        "bridge/relocation.py",
        "weights = np.array([hit.barycentric[i] for i in order])",
        "weights = np.array(hit.barycentric)",
        "session/test_following.py::test_with_flipped_normals_it_is_the_same_place_from_the_other_side",
    ),
    _mutant(
        "bridge/relocation.py",
        "if {*triangles.vertices.ravel().tolist()} != {*hit.face_vertices}:",
        "if False:",
        "session/test_following.py::test_faces_in_another_order_are_another_topology",
    ),
    _mutant(
        "bridge/query.py",
        "if (now.corners, now.matrix_world) != (then.corners, then.matrix_world):",
        "if True:",
        "session/test_following.py::test_what_has_not_moved_keeps_its_last_digits",
    ),
    _mutant(
        "session/following.py",
        "return ELSEWHERE",
        "return record.stale",
        "session/test_following.py::test_another_scene_has_not_the_pick",
    ),
    _mutant(
        "session/history.py",
        "new = [record for record in saved.records if _key(record) not in known]",
        "new = saved.records",
        "session/test_history.py::test_what_is_remembered_is_not_loaded_twice",
    ),
    _mutant(
        "session/saved_history.py",
        "None if record is None else _key(values)",
        "_key(values)",
        "session/test_saved_history.py::"
        "test_a_pick_that_cannot_be_read_is_kept_beside_one_of_the_same_moment",
    ),
    _mutant(
        "session/history.py",
        "left -= saved.parsed",
        "left -= sum(map(len, saved.texts))",
        "session/test_saved_history.py::test_the_histories_of_all_scenes_together_are_bounded",
    ),
    _mutant(
        "session/history.py",
        "key=lambda record: record.when",
        "key=lambda record: record.scene",
        "session/test_history.py",
    ),
    _mutant(
        "session/history.py",
        "if record.hits:\n        _records.append(record)",
        "if True:\n        _records.append(record)",
        "session/test_history.py::test_what_hit_nothing_is_not_remembered",
    ),
    _mutant(
        "session/hover.py",
        "return changes.pending.number, matrix, region.width",
        "return changes.pending.number, region.width",
        "test_following.py::test_another_view_is_looked_at_without_a_move_of_the_mouse",
        "windowed",
    ),
    _mutant(
        "session/hover.py",
        "current.hover(None)\n        _looked_at = _state()\n        return",
        "_looked_at = _state()\n        return",
        "test_following.py::test_while_the_mouse_moves_an_object_nothing_is_said_to_be_under_it",
        "windowed",
    ),
)

IN_BLENDER = (*_WHAT_IS_SHOWN, *_HOW_IT_IS_SEEN, *_WHAT_IS_TOLD, *_WHAT_IS_KEPT)
