# SPDX-License-Identifier: GPL-3.0-or-later
import json
import struct

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from ..meshes import torus
from ..peers import peer
from .gltf_files import of_mesh

POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.5), (-2.5, 0, 7), (3, 3, 3)]
CORNERS = [0, 1, 2, 0, 2, 3, 3, 4, 4]
ROWS = [[0, 1, 2], [0, 2, 3], [3, 4, 4]]


def loaded(tmp_path, content, name="a.gltf"):
    (tmp_path / name).write_bytes(content)
    return sc.load_mesh(tmp_path / name)


def plain(document, points=POINTS, corners=CORNERS):
    return [
        {
            "attributes": {"POSITION": document.array(points)},
            "indices": document.array(corners, "H"),
        }
    ]


def check(mesh, points=POINTS, rows=ROWS):
    assert mesh.vertices.tolist() == [list(point) for point in points]
    assert mesh.triangles.tolist() == rows


def refused(tmp_path, document, reason):
    content = document if isinstance(document, bytes) else document.text()
    with pytest.raises(errors.MeshFileError, match=reason):
        loaded(tmp_path, content)


@pytest.mark.parametrize("name", ["a.gltf", "a.GLB"])
def test_text_and_bytes_are_read_under_either_ending(tmp_path, name):
    document = of_mesh(plain)
    check(loaded(tmp_path, document.text(), name))
    check(loaded(tmp_path, document.binary(), name))
    check(loaded(tmp_path, document.binary() + b"more", name))


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_text_of_other_codes_is_read(tmp_path, code):
    check(loaded(tmp_path, of_mesh(plain).text().decode().encode(code)))


@pytest.mark.parametrize("code", ["B", "H", "I"])
@pytest.mark.parametrize("stride", [0, 12, 20])
def test_indices_of_every_type_and_places_at_every_distance_are_read(tmp_path, code, stride):
    def primitives(document):
        position = document.array(POINTS, stride=stride)
        return [{"attributes": {"POSITION": position}, "indices": document.array(CORNERS, code)}]

    check(loaded(tmp_path, of_mesh(primitives).text()))


@pytest.mark.parametrize(
    ("mode", "corners", "rows"),
    [
        (4, [0, 1, 2, 3, 2, 1, 5, 5], [[0, 1, 2], [3, 2, 1]]),
        (5, [0, 1, 2, 3, 3, 4], [[0, 1, 2], [1, 3, 2], [2, 3, 3], [3, 4, 3]]),
        (6, [5, 1, 2, 3], [[1, 2, 5], [2, 3, 5]]),
        (4, None, [[0, 1, 2], [3, 4, 5]]),
        (5, None, [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]),
        (6, None, [[1, 2, 0], [2, 3, 0], [3, 4, 0], [4, 5, 0]]),
    ],
)
def test_primitives_of_every_mode_are_triangles(tmp_path, mode, corners, rows):
    def primitives(document):
        made = {"attributes": {"POSITION": document.array(POINTS)}, "mode": mode}
        lines = [{**made, "mode": other} for other in range(4)]
        indices = {} if corners is None else {"indices": document.array(corners, "B")}
        return [*lines, {**made, **indices}]

    check(loaded(tmp_path, of_mesh(primitives).text()), rows=rows)


@pytest.mark.parametrize("mode", [4, 5, 6])
def test_corners_that_are_too_few_are_no_face(tmp_path, mode):
    def primitives(document):
        made = {"attributes": {"POSITION": document.array(POINTS)}, "mode": mode}
        return [{**made, "indices": document.array(row, "B")} for row in ([0, 1], [2], [0, 1, 2])]

    assert len(loaded(tmp_path, of_mesh(primitives).text()).triangles) == 1


@pytest.mark.parametrize(("code", "most"), [("b", 127), ("B", 255), ("h", 32767), ("H", 65535)])
@pytest.mark.parametrize("normalized", [False, True])
def test_places_may_be_whole_numbers(tmp_path, code, most, normalized):
    least = -most - 1 if code in "bh" else 0
    points = [(0, most, least), (1, 2, 3), (5, 60, 7)]

    def primitives(document):
        return [{"attributes": {"POSITION": document.array(points, code, normalized=normalized)}}]

    document = of_mesh(primitives, extensionsRequired=["KHR_mesh_quantization"])
    scaled = [[max(number / most, -1) for number in point] for point in points]
    check(loaded(tmp_path, document.text()), scaled if normalized else points, [[0, 1, 2]])


@pytest.mark.parametrize("code", ["B", "H", "I"])
@pytest.mark.parametrize("has_view", [True, False])
def test_sparse_accessors_are_read(tmp_path, code, has_view):
    changed = {1: (5, 0, -1), 3: (0.5, 6, 2)}

    def primitives(document):
        sparse = document.sparse(list(changed), list(changed.values()), code)
        position = document.array(POINTS, stride=16, sparse=sparse)
        if not has_view:
            del document.root["accessors"][position]["bufferView"]
        return [{"attributes": {"POSITION": position}, "indices": document.array(CORNERS, "B")}]

    points = [changed.get(i, point if has_view else (0, 0, 0)) for i, point in enumerate(POINTS)]
    check(loaded(tmp_path, of_mesh(primitives).text()), points)


@pytest.mark.parametrize("row", [len(POINTS), 255])
def test_a_sparse_accessor_that_changes_a_row_that_is_not_there_is_refused(tmp_path, row):
    def primitives(document):
        sparse = document.sparse([1, row], [(5, 0, -1), (0.5, 6, 2)], "B")
        position = document.array(POINTS, stride=16, sparse=sparse)
        return [{"attributes": {"POSITION": position}, "indices": document.array(CORNERS, "B")}]

    with pytest.raises(errors.MeshFileError, match="a sparse accessor has wrong indices"):
        loaded(tmp_path, of_mesh(primitives).text())


def test_nodes_place_their_meshes_one_in_the_other(tmp_path):
    half = 0.5**0.5
    nodes = [
        {"translation": [10, 0, 0], "children": [2, 1]},
        {"mesh": 0, "rotation": [0, 0, half, half], "scale": [2, 1, 1]},
        {"mesh": 0, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
        {"mesh": 0, "translation": [9, 9, 9]},
    ]
    document = of_mesh(plain, nodes)
    document.root["scenes"] = [{"nodes": [3]}, {"nodes": [0]}]
    document.root["scene"] = 1
    mesh = loaded(tmp_path, document.text())
    second = [[10 + 5 - y, 6 + x, 7 + z] for x, y, z in POINTS]
    first = [[10 - y, 2 * x, z] for x, y, z in POINTS]
    np.testing.assert_allclose(mesh.vertices, second + first, atol=1e-15)
    assert mesh.triangles.tolist() == ROWS + (np.array(ROWS) + 6).tolist()


@pytest.mark.parametrize("size", [1, 1e-120, 1e120])
def test_a_mirrored_mesh_is_not_turned_inside_out(tmp_path, size):
    scale = [size, size, -size]
    mesh = loaded(tmp_path, of_mesh(plain, [{"mesh": 0, "scale": scale}]).text())
    points = [(x * size, y * size, -z * size) for x, y, z in POINTS]
    check(mesh, points, [[a, c, b] for a, b, c in ROWS])


def test_where_no_scene_is_shown_it_is_the_first_or_else_all_nodes(tmp_path):
    nodes = [{"mesh": 0, "translation": [4, 0, 0]}, {"children": [0], "translation": [0, 2, 0]}]
    document = of_mesh(plain, nodes)
    document.root["scenes"] = [{"nodes": [1]}, {}]
    points = [(x + 4, y + 2, z) for x, y, z in POINTS]
    check(loaded(tmp_path, document.text()), points)
    del document.root["scenes"]
    check(loaded(tmp_path, document.text()), points)


def test_meshes_that_no_node_has_are_told(tmp_path):
    refused(tmp_path, of_mesh(plain, [{}]), "has meshes, but no node of its scene has one")


def test_primitives_of_one_array_of_vertices_share_them(tmp_path):
    def primitives(document):
        (first,) = plain(document)
        other = {**first, "indices": document.array([5, 4, 3], "H")}
        return [first, *plain(document), other]

    check(loaded(tmp_path, of_mesh(primitives).text()), POINTS * 2,
          [*ROWS, [5, 4, 3], *(np.array(ROWS) + 6).tolist()])  # fmt: skip


@pytest.mark.parametrize("where", ["node", "mesh", None])
def test_morph_targets_move_vertices_by_their_weights(tmp_path, where):
    def primitives(document):
        (made,) = plain(document)
        shifts = [[(0, 0, i) for i in range(6)], [(i, 0, 0) for i in range(6)]]
        return [{**made, "targets": [{"POSITION": document.array(shift)} for shift in shifts]}]

    document = of_mesh(
        primitives, [{"mesh": 0, **({"weights": [0.5, 2]} if where == "node" else {})}]
    )
    if where:
        document.root["meshes"][0]["weights"] = [0.5, 2] if where == "mesh" else [9, 9]
    weights = (2, 0.5) if where else (0, 0)
    far, high = weights
    points = [(x + far * i, y, z + high * i) for i, (x, y, z) in enumerate(POINTS)]
    check(loaded(tmp_path, document.text()), points)


@pytest.mark.parametrize("code", ["f", "B"])
def test_skins_bend_meshes_as_their_joints_stand(tmp_path, code):
    """And the place of the node that has the mesh counts for nothing."""
    one = 1 if code == "f" else 255

    def primitives(document):
        (made,) = plain(document)
        joints = document.array([(0, 1, 0, 0)] * 6, "B")
        weights = document.array(
            [(one, 0, 0, 0)] * 3 + [(0, one, 0, 0)] * 3, code, normalized=code == "B"
        )
        made["attributes"] |= {"JOINTS_0": joints, "WEIGHTS_0": weights}
        down = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -3, 1]
        document.root["skins"] = [
            {"joints": [1, 2], "inverseBindMatrices": document.array([down, down])}
        ]
        return [made]

    nodes = [
        {"mesh": 0, "skin": 0, "translation": [50, 50, 50]},
        {"translation": [1, 0, 0]},
        {"scale": [1, 1, 2]},
    ]
    points = [(x + 1, y, z - 3) for x, y, z in POINTS[:3]] + [
        (x, y, 2 * (z - 3)) for x, y, z in POINTS[3:]
    ]
    check(loaded(tmp_path, of_mesh(primitives, nodes).text()), points)


def test_instances_of_a_node_are_all_placed(tmp_path):
    document = of_mesh(plain, extensionsRequired=["EXT_mesh_gpu_instancing"])
    attributes = {
        "TRANSLATION": document.array([(0, 0, 0), (5, 0, 0)]),
        "SCALE": document.array([(1, 1, 1), (2, 2, 2)]),
    }
    document.root["nodes"][0] |= {
        "translation": [0, 1, 0],
        "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}},
    }
    points = [(x, y + 1, z) for x, y, z in POINTS] + [
        (5 + 2 * x, 1 + 2 * y, 2 * z) for x, y, z in POINTS
    ]
    check(loaded(tmp_path, document.text()), points, ROWS + (np.array(ROWS) + 6).tolist())


def test_buffers_are_read_from_files_beside(tmp_path):
    document = of_mesh(plain)
    (tmp_path / "in").mkdir()
    for name, uri in (
        ("b.bin", "b.bin"),
        ("ä b%.bin", "%C3%A4%20b%25.bin"),
        ("in/c", "./in/c"),
        ("ö", "ö"),
    ):
        (tmp_path / name).write_bytes(document.data + b"more")
        check(loaded(tmp_path, document.text(uri)))
    refused(tmp_path, document.text("d.bin"), "needs 'd.bin', which is not beside it")
    (tmp_path / "b.bin").write_bytes(document.data[:-1])
    refused(tmp_path, document.text("b.bin"), "buffer 0 is too short")


@pytest.mark.parametrize(
    "uri",
    [
        *(
            "../b.bin",
            "%2e%2e/b.bin",
            "in/../../b.bin",
            "..%5Cb.bin",
            "/b.bin",
            "%2Fb.bin",
            "",
            "//b.bin",
        ),
        *(
            "file:///b.bin",
            "http://127.0.0.1/b.bin",
            "C:b.bin",
            "c%3A/b.bin",
            "b.bin%00",
            "\\b.bin",
        ),
    ],
)
def test_nothing_is_read_that_is_not_in_the_folder(tmp_path, uri):
    document = of_mesh(plain)
    (tmp_path / "in/in").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "in"):
        (folder / "b.bin").write_bytes(document.data)
    document.root["buffers"] = [{"byteLength": len(document.data), "uri": uri}]
    refused(
        tmp_path / "in", document, "which is not read: its buffers must be in files of its folder"
    )


def test_data_may_be_in_the_uri_in_either_way(tmp_path):
    document = of_mesh(plain)
    percents = "".join(f"%{byte:02x}" for byte in document.data)
    check(loaded(tmp_path, document.text(f"data:,{percents}")))
    refused(tmp_path, document.text("data:;base64,AAA"), "no glTF file, or it is damaged")


REQUIRED = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "VENDOR_x",
]


@pytest.mark.parametrize("name", REQUIRED)
def test_an_extension_that_is_required_and_not_read_is_named(tmp_path, name):
    refused(tmp_path, of_mesh(plain, extensionsRequired=["KHR_materials_unlit", name]), name)


def test_what_is_packed_is_refused_where_it_is_all_there_is(tmp_path):
    for name in REQUIRED[:3]:
        document = of_mesh(plain, extensionsUsed=[name])
        primitive = document.root["meshes"][0]["primitives"][0]
        if "draco" in name:
            primitive["extensions"] = {name: {"bufferView": 0}}
        else:
            document.root["bufferViews"][0]["extensions"] = {name: {"buffer": 0}}
        check(loaded(tmp_path, document.text()))
        if "draco" in name:
            del document.root["accessors"][0]["bufferView"]
        else:
            document.root["bufferViews"][0]["buffer"] = 1
            document.root["buffers"] = [
                json.loads(document.text())["buffers"][0],
                {"byteLength": 72},
            ]
        refused(tmp_path, document, name)


def test_extensions_of_looks_are_passed_over(tmp_path):
    names = [
        "KHR_materials_unlit",
        "KHR_texture_transform",
        "EXT_texture_webp",
        "KHR_lights_punctual",
    ]
    check(loaded(tmp_path, of_mesh(plain, extensionsRequired=names).text()))


def changed(path, value):
    document = of_mesh(plain)
    *way, last = path
    target = document.root
    for step in way:
        target = target[step]
    target[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (["asset"], {"version": "1.0"}, "of version '1.0' of glTF"),
        (["asset"], {"version": "2.1", "minVersion": "2.1"}, "of version '2.1' of glTF"),
        (["extensionsRequired"], "KHR_draco", "extensionsRequired is no list"),
        (["asset"], {}, "it has no 'version'"),
        (["asset"], 3, "no glTF file, or it is damaged"),
        (["meshes"], [], "has no 0 of its meshes"),
        (["nodes", 0, "mesh"], -1, "has no -1 of its meshes"),
        (["nodes", 0, "mesh"], True, "has no True of its meshes"),
        (["nodes", 0, "children"], [0], "node 0 is below two others"),
        (["nodes", 0, "matrix"], [1, 2, 3], "damaged"),
        (["nodes", 0, "translation"], [float("inf"), 0, 0], "damaged: Infinity"),
        (["nodes", 0, "rotation"], [0, 0, 0, 0], "matrix of node 0 .* not finite"),
        (["scene"], 7, "has no 7 of its scenes"),
        (["accessors", 0, "count"], 7, "reaches beyond its buffer"),
        (["accessors", 0, "count"], 10**18, "reaches beyond its buffer"),
        (["accessors", 0, "count"], -1, "has the count -1"),
        (["accessors", 0, "count"], 3.0, "has the count 3.0"),
        (["accessors", 0, "byteOffset"], 4, "reaches beyond its buffer"),
        (["accessors", 0, "type"], "VEC2", "accessor 0 .* is not of VEC3"),
        (["accessors", 0, "componentType"], 5124, "it has no 5124"),
        (["accessors", 1, "componentType"], 5122, "not whole numbers without a sign"),
        (["accessors", 0], {"componentType": 5126, "count": 10**9, "type": "VEC3"}, "larger than"),
        (["bufferViews", 0, "byteStride"], 0, "reaches beyond"),
        (["bufferViews", 0, "byteLength"], 10**6, "reaches beyond"),
        (["bufferViews", 0, "buffer"], 1, "has no 1 of its buffers"),
        (["meshes", 0, "primitives", 0, "mode"], 7, "no mode 7"),
        (["meshes", 0, "primitives", 0, "attributes"], {}, "no faces"),
        (["meshes", 0, "primitives"], [], "no faces"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path, path, value, reason):
    refused(tmp_path, changed(path, value), reason)


def test_a_corner_without_a_vertex_is_told(tmp_path):
    document = of_mesh(lambda document: plain(document, corners=[0, 1, 6]))
    refused(tmp_path, document, "a face has the vertex 6, counted from 0, but there are 6")


def test_what_is_no_gltf_file_is_told(tmp_path):
    good = of_mesh(plain).binary()
    refused(tmp_path, b"", "no glTF file")
    refused(tmp_path, b"[]", "no glTF file")
    refused(tmp_path, b"[" * 100_000, "nested too deeply")
    refused(tmp_path, good[:-1], "ends too soon")
    refused(tmp_path, good[:10], "ends too soon")
    refused(tmp_path, good[:4] + struct.pack("<I", 1) + good[8:], "of version 1 of glTF")
    document = of_mesh(plain)
    document.root["bufferViews"] = document.root["bufferViews"][:1]
    refused(tmp_path, document, "has no 1 of its bufferViews")


def test_a_size_of_bytes_is_not_believed(tmp_path):
    """Two gigabytes of chunks of nothing took minutes, and as much memory."""
    good = of_mesh(plain).binary()
    refused(tmp_path, good[:8] + struct.pack("<I", 2**31) + good[12:], "ends too soon")


def test_instances_without_number_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("standalone_core.files.gltf._MOST", 1000)
    document = of_mesh(plain, [{"mesh": 0}] * 200)
    refused(tmp_path, document, "does not fit in memory")


def test_other_programs_write_what_is_read(tmp_path, rng):
    trimesh = peer("trimesh")
    scene = trimesh.Scene()
    vertices, triangles = torus(30, 20)
    for number in range(4):
        matrix = trimesh.transformations.random_rotation_matrix(rng.random(3))
        matrix[:3, 3] = rng.normal(size=3)
        part = trimesh.Trimesh(vertices, triangles[number::4], process=False)
        scene.add_geometry(part, transform=matrix, node_name=f"n{number}", geom_name=f"g{number}")
    scene.export(tmp_path / "a.glb")
    theirs, mesh = scene.to_mesh(), sc.load_mesh(tmp_path / "a.glb")
    np.testing.assert_allclose(mesh.vertices[mesh.triangles], theirs.triangles, atol=1e-6)
    for name, content in trimesh.exchange.gltf.export_gltf(scene).items():
        (tmp_path / name).write_bytes(content)
    other = sc.load_mesh(tmp_path / "model.gltf")
    assert np.array_equal(other.vertices, mesh.vertices)
