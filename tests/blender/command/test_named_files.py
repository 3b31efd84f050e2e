# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file that may move a surface is one that results are made from."""

import itertools
import os
import shutil
import sys
import time
from functools import partial

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import arrays, camera, saved
from tests.blender.scenes import link, mesh_object

SURVEY = "survey", "--out", "s", "--json"
SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]

needs_import_nodes = pytest.mark.skipif(
    not hasattr(bpy.types, "GeometryNodeImportOBJ"), reason="nodes import files since Blender 4.5"
)


def square():
    """A square of the scene, and a camera above it."""
    camera(location=(0, 0.01, 6), resolution=(5, 5))
    return mesh_object("Square", SQUARE, [(0, 1, 2, 3)])


def corners(height):
    return [(x, y, height) for x, y, _ in SQUARE]


def obj(path, height):
    lines = [f"v {x} {y} {z}" for x, y, z in corners(height)]
    path.write_text("\n".join([*lines, "f 1 2 3 4", ""]))


def ply(path, height):
    lines = [f"{x} {y} {z}" for x, y, z in corners(height)]
    head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    head += "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    path.write_text(head + "\n".join([*lines, "4 0 1 2 3", ""]))


def stl(path, height):
    a, b, c, d = corners(height)
    corner = "\n".join
    facets = (
        "facet normal 0 0 1\nouter loop\n"
        + corner(f"vertex {x} {y} {z}" for x, y, z in each)
        + "\nendloop\nendfacet"
        for each in ((a, b, c), (a, c, d))
    )
    path.write_text("solid a\n" + "\n".join(facets) + "\nendsolid a\n")


def imported(kind, path):
    """A tree of nodes that import a file; return it and the node."""
    tree = bpy.data.node_groups.new("Import", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    node = tree.nodes.new(f"GeometryNodeImport{kind}")
    realize = tree.nodes.new("GeometryNodeRealizeInstances")
    tree.links.new(node.outputs[0], realize.inputs[0])
    tree.links.new(realize.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    node.inputs["Path"].default_value = path
    return tree, node


def use(obj, tree):
    modifier = obj.modifiers.new("Nodes", "NODES")
    modifier.node_group = tree
    return modifier


def reopened(path):
    bpy.ops.wm.open_mainfile(filepath=os.fspath(path))


@pytest.fixture
def as_new(module, monkeypatch):
    """Return a function that opens a file as a new process does, of which nothing was read."""

    def as_new(path, imported=None):
        if imported is not None:  # Blender reads what has another second again
            os.utime(imported, (10**9, next(seconds)))
        monkeypatch.setattr(module("opened"), "_began", time.time_ns())
        reopened(path)

    seconds = itertools.count(10**9)
    return as_new


def depth():
    return arrays("s/Camera_0001.npz")["depth"][2, 2]


def check_counts(type_in, path, change, opened=reopened):
    """See that a change of files makes a task another one, after which its result is kept.

    Return what the middle pixel was and is.
    """
    depths = []
    for step in (None, change):
        if step is not None:
            step()
            opened(path)
        for made in (1, 0):
            ran = type_in(*SURVEY, "--resume")
            assert (ran.code, len(ran.json["made"]), ran.err.count("cannot")) == (0, made, 0)
        depths.append(depth())
    return depths


def check_refused(ran, said):
    """See that a run stopped in one line, with nothing made."""
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)
    assert said in ran.err


@needs_import_nodes
@pytest.mark.parametrize("write", [obj, ply, stl], ids=lambda write: write.__name__)
def test_a_file_that_a_node_imports_counts(as_new, type_in, tmp_path, write):
    path = tmp_path / f"a.{write.__name__}"
    write(path, 0.0)
    use(square(), imported(write.__name__.upper(), f"//{path.name}")[0])
    as_new(saved(tmp_path / "a.blend"), path)
    opened = partial(as_new, imported=path)
    before, after = check_counts(type_in, tmp_path / "a.blend", partial(write, path, 1.0), opened)
    assert after == pytest.approx(before - 1.0)


@needs_import_nodes
@pytest.mark.parametrize("kind", ["CSV", "Text", "VDB"])
def test_every_node_that_imports_counts(as_new, type_in, tmp_path, kind):
    path = tmp_path / "a.data"
    path.write_text("x\n1\n")
    tree, _ = imported("OBJ", "")
    tree.nodes.new(f"GeometryNodeImport{kind}").inputs["Path"].default_value = str(path)
    use(square(), tree)
    as_new(saved(tmp_path / "a.blend"))
    check_counts(type_in, tmp_path / "a.blend", partial(path.write_text, "x\n2\n"), as_new)


def text(tree, value):
    """The output of a node that is a text."""
    node = tree.nodes.new("FunctionNodeInputString")
    node.string = value
    return node.outputs[0]


def of_modifier(tree, node, modifier, path):
    socket = tree.interface.new_socket("Path", in_out="INPUT", socket_type="NodeSocketString")
    tree.links.new(tree.nodes.new("NodeGroupInput").outputs[0], node.inputs["Path"])
    modifier[socket.identifier] = path


def of_a_text(tree, node, modifier, path):
    reroute = tree.nodes.new("NodeReroute")
    tree.links.new(text(tree, path), reroute.inputs[0])
    tree.links.new(reroute.outputs[0], node.inputs["Path"])


def of_a_switch(tree, node, modifier, path):
    switch = tree.nodes.new("GeometryNodeSwitch")
    switch.input_type = "STRING"
    switch.inputs["Switch"].default_value = True
    switch.inputs["False"].default_value = "none.obj"
    tree.links.new(text(tree, path), switch.inputs["True"])
    tree.links.new(switch.outputs[0], node.inputs["Path"])


def of_a_group_that_imports(tree, node, modifier, path):
    outer = bpy.data.node_groups.new("Outer", "GeometryNodeTree")
    outer.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Path", in_out="INPUT", socket_type="NodeSocketString")
    tree.links.new(tree.nodes.new("NodeGroupInput").outputs[0], node.inputs["Path"])
    group = outer.nodes.new("GeometryNodeGroup")
    group.node_tree = tree
    outer.links.new(group.outputs[0], outer.nodes.new("NodeGroupOutput").inputs[0])
    of_modifier(outer, group, modifier, path)
    modifier.node_group = outer
    modifier[outer.interface.items_tree["Path"].identifier] = path


def of_a_group_that_names(tree, node, modifier, path):
    inner = bpy.data.node_groups.new("Inner", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        inner.interface.new_socket("Path", in_out=way, socket_type="NodeSocketString")
    output = inner.nodes.new("NodeGroupOutput")
    inner.links.new(inner.nodes.new("NodeGroupInput").outputs[0], output.inputs[0])
    group = tree.nodes.new("GeometryNodeGroup")
    group.node_tree = inner
    tree.links.new(text(tree, path), group.inputs[0])
    tree.links.new(group.outputs[0], node.inputs["Path"])


@needs_import_nodes
@pytest.mark.parametrize(
    "give",
    [of_modifier, of_a_text, of_a_switch, of_a_group_that_imports, of_a_group_that_names],
    ids=lambda give: give.__name__,
)
def test_a_path_that_comes_from_elsewhere_counts(as_new, type_in, tmp_path, give):
    path = tmp_path / "a.obj"
    obj(path, 0.0)
    tree, node = imported("OBJ", "")
    give(tree, node, use(square(), tree), "//a.obj")
    as_new(saved(tmp_path / "a.blend"), path)
    opened = partial(as_new, imported=path)
    before, after = check_counts(type_in, tmp_path / "a.blend", partial(obj, path, 1.0), opened)
    assert after == pytest.approx(before - 1.0)


@needs_import_nodes
def test_an_import_that_blender_may_have_kept_in_memory_is_not_resumed(raypick, type_in, tmp_path):
    """Of a file that changes twice in a second Blender keeps the first content."""
    obj(tmp_path / "a.obj", 0.0)
    use(square(), imported("OBJ", "//a.obj")[0])
    saved(tmp_path / "a.blend")
    said = f"{tmp_path}/a.obj has changed since Blender began to read files"
    check_refused(type_in(*SURVEY, "--resume"), said)


@needs_import_nodes
def test_a_path_that_is_computed_is_not_resumed(raypick, type_in, tmp_path):
    obj(tmp_path / "a1.obj", 1.0)
    tree, node = imported("OBJ", "")
    join, number = (
        tree.nodes.new("GeometryNodeStringJoin"),
        tree.nodes.new("GeometryNodeInputSceneTime"),
    )
    value = tree.nodes.new("FunctionNodeValueToString")
    tree.links.new(number.outputs["Frame"], value.inputs[0])
    for part in (text(tree, ".obj"), value.outputs[0], text(tree, f"{tmp_path}/a")):
        tree.links.new(part, join.inputs[1])
    tree.links.new(join.outputs[0], node.inputs["Path"])
    use(square(), tree)
    saved(tmp_path / "a.blend")
    for command in (SURVEY, ("cast", "--rays", "r.npz", "--out", "h.npz", "--json")):
        np.savez("r.npz", origins=[(0, 0, 9)], directions=[(0, 0, -1)])
        ran = type_in(*command)
        assert ran.code == 0
        assert "'Join Strings' computes the path of 'Import OBJ' in 'Import'" in ran.err
        assert "no run will resume these results" in ran.err
        ran = type_in(*command, "--resume")
        assert (ran.code, ran.out) == (1, "")
        assert "computes the path of 'Import OBJ'" in ran.err
        assert len(ran.err.splitlines()) == 1
    assert depth() == pytest.approx(5.0, abs=1e-3)
    (node,) = [each for each in bpy.data.node_groups["Import"].nodes if each.name == "Import OBJ"]
    node.inputs["Path"].links[0].is_muted = True
    saved(tmp_path / "a.blend")
    assert len(type_in(*SURVEY, "--resume").json["made"]) == 1  # what was made is not kept


def alembic(path, height):
    """An Alembic file of a square at a height, made by Blender."""
    made = mesh_object("Made", corners(height), [(0, 1, 2, 3)])
    for each in bpy.context.scene.objects:
        each.select_set(each == made)
    bpy.ops.wm.alembic_export(
        filepath=os.fspath(path), selected=True, as_background_job=False, start=1, end=1
    )
    bpy.data.objects.remove(made)


def cached(path, is_sequence):
    """A square that an Alembic file moves."""
    moved = square()
    bpy.ops.cachefile.open(filepath=os.fspath(path))
    (file,) = bpy.data.cache_files
    file.is_sequence, file.forward_axis, file.up_axis = is_sequence, "POS_Y", "POS_Z"
    modifier = moved.modifiers.new("Cache", "MESH_SEQUENCE_CACHE")
    modifier.cache_file, modifier.object_path = file, "/Made/Made"
    return file


def test_all_files_of_a_sequence_count(raypick, type_in, tmp_path):
    for frame in (1, 2):
        alembic(tmp_path / f"a_{frame:04d}.abc", 0.0)
    cached(tmp_path / "a_0001.abc", is_sequence=True)
    (tmp_path / "b_0001.abc").write_bytes(b"none of it")
    file = saved(tmp_path / "a.blend")

    def change():
        alembic(tmp_path / "a_0002.abc", 1.0)

    check_counts(type_in, file, change)
    (tmp_path / "b_0001.abc").write_bytes(b"changed")
    reopened(file)
    assert type_in(*SURVEY, "--resume").json["made"] == []
    (tmp_path / "a_0003.abc").write_bytes(b"a frame more")
    reopened(file)
    assert len(type_in(*SURVEY, "--resume").json["made"]) == 1


def alembic_layer(path):
    alembic(path.with_suffix(".abc"), 0.0)
    cached(path.with_suffix(".abc"), is_sequence=False).layers.new(filepath=os.fspath(path))


def external_points(path):
    cache = bpy.data.objects["Square"].modifiers.new("Cloth", "CLOTH").point_cache
    cache.use_external = True
    cache.filepath = os.fspath(path.parent)


def nothing(path):
    """Blender reads bakes from there without being told."""


def ocean(path):
    bpy.data.objects["Square"].modifiers.new("Ocean", "OCEAN").filepath = os.fspath(path.parent)


def fluid(path):
    modifier = bpy.data.objects["Square"].modifiers.new("Fluid", "FLUID")
    modifier.fluid_type = "DOMAIN"
    modifier.domain_settings.cache_directory = os.fspath(path.parent)


def volumes(path):
    volume = bpy.data.volumes.new("Smoke")
    volume.filepath, volume.is_sequence = os.fspath(path.with_name("a_1.vdb")), True
    link(bpy.data.objects.new("Smoke", volume))


def font(path):
    folder = bpy.utils.system_resource("DATAFILES", path="fonts")
    shutil.copyfile(os.path.join(folder, sorted(os.listdir(folder))[0]), path)
    curve = bpy.data.curves.new("Text", "FONT")
    curve.font = bpy.data.fonts.load(os.fspath(path))
    link(bpy.data.objects.new("Text", curve))


def nodes_with_own_folder(path):
    bakes(path).bake_directory = os.fspath(path.parents[2])


def node_with_own_folder(path):
    (bake,) = bakes(path).bakes
    bake.use_custom_path, bake.directory = True, os.fspath(path.parents[1])


def bakes(path):
    """A modifier with a node that is baked to the disk."""
    tree = bpy.data.node_groups.new("Bake", "GeometryNodeTree")
    tree.nodes.new("GeometryNodeBake")
    return use(bpy.data.objects["Square"], tree)


def tiles(path):
    image = bpy.data.images.new("Height", 4, 4, tiled=True)
    image.source, image.filepath = "TILED", os.fspath(path.with_name("a.<UDIM>.png"))
    texture = bpy.data.textures.new("Height", "IMAGE")
    texture.image = image
    bpy.data.objects["Square"].modifiers.new("Displace", "DISPLACE").texture = texture


def texture_group(path):
    tree = bpy.data.node_groups.new("Group", "TextureNodeTree")
    tree.nodes.new("TextureNodeImage").image = bpy.data.images.new("Height", 4, 4)
    (image,) = bpy.data.images
    image.source, image.filepath = "FILE", os.fspath(path)
    tree.use_fake_user = True


@pytest.mark.parametrize(
    ("name", "named_by"),
    [
        ("a.abc", alembic_layer),
        ("cache/a.bphys", external_points),
        ("blendcache_a/deep/er/a.json", nothing),
        ("a.woff2", font),
        ("cache/disp_0007.exr", ocean),
        ("cache/mesh/a.vdb", fluid),
        ("a_27.vdb", volumes),
        ("a.1002.png", tiles),
        ("a.png", texture_group),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_file_that_may_move_a_surface_counts(as_new, module, tmp_path, name, named_by):
    square()
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"one")
    named_by(path)
    as_new(saved(tmp_path / "a.blend"))
    assert path in module("opened").paths_of_the_file()
    before = module("opened").FilesRead(True, print).digests
    content = path.read_bytes()
    for change in (content + b" more", content):
        path.write_bytes(change)
        as_new(tmp_path / "a.blend")
        after = module("opened").FilesRead(True, print).digests
        assert (after == before) == (change == content)


@pytest.mark.parametrize("own", [None, "bake_directory", "directory"])
def test_baked_nodes_count(raypick, module, type_in, tmp_path, own):
    """As Blender bakes them: to the folder beside the file, of the modifier or of the node."""
    tree = bpy.data.node_groups.new("Bake", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    node = tree.nodes.new("GeometryNodeBake")
    if not node.bake_items:  # which Blender 4.2 makes by itself
        node.bake_items.new("GEOMETRY", "Geometry")
    tree.links.new(tree.nodes.new("NodeGroupInput").outputs[0], node.inputs[0])
    tree.links.new(node.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    moved = square()
    modifier = use(moved, tree)
    (bake,) = modifier.bakes
    bake.bake_mode = "STILL"
    if hasattr(modifier, "bake_target"):  # since Blender 4.3
        modifier.bake_target = "DISK"
    if own == "bake_directory":
        modifier.bake_directory = "//mine"
    elif own == "directory":
        bake.use_custom_path, bake.directory = True, "//mine"
    file = saved(tmp_path / "a.blend")

    def bake_at(height):
        moved = bpy.data.objects["Square"]
        moved.data.vertices.foreach_set("co", np.ravel(corners(height)))
        moved.data.update()
        bpy.context.view_layer.update()
        (bake,) = moved.modifiers[0].bakes
        named = {
            "session_uid": moved.session_uid,
            "modifier_name": "Nodes",
            "bake_id": bake.bake_id,
        }
        bpy.ops.object.geometry_node_bake_single(**named)

    bake_at(0.0)
    bpy.ops.wm.save_mainfile()
    reopened(file)
    before, after = check_counts(type_in, file, partial(bake_at, 1.0))
    assert after == pytest.approx(before - 1.0)


def test_what_moves_no_surface_does_not_count(raypick, module, tmp_path):
    square()
    for name in ("color.png", "strip.png", "plate.png"):
        (tmp_path / name).write_bytes(b"one")
    material = bpy.data.materials.new("Skin")
    if material.node_tree is None:  # before Blender 5.0
        material.use_nodes = True
    image = bpy.data.images.new("Color", 4, 4)
    image.source, image.filepath = "FILE", os.fspath(tmp_path / "color.png")
    material.node_tree.nodes.new("ShaderNodeTexImage").image = image
    bpy.data.objects["Square"].data.materials.append(material)
    if hasattr(bpy.data, "file_path_map"):  # before Blender 4.4 all strips count
        editor = bpy.context.scene.sequence_editor_create()
        strips = editor.strips if hasattr(editor, "strips") else editor.sequences
        strips.new_image("Strip", os.fspath(tmp_path / "strip.png"), 1, 1)
    saved(tmp_path / "a.blend")
    assert [path.name for path in module("opened").paths_of_the_file() if path.exists()] == [
        "a.blend"
    ]
    texture = bpy.data.textures.new("Height", "IMAGE")
    texture.image = bpy.data.images["Color"]
    texture.use_fake_user = True
    assert tmp_path / "color.png" in module("opened").paths_of_the_file()


def test_a_usd_file_that_may_name_others_is_not_resumed(raypick, module, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    square()
    for ending in ("usda", "usdc"):
        bpy.ops.wm.usd_export(filepath=os.fspath(tmp_path / f"a.{ending}"))
    bpy.ops.cachefile.open(filepath=os.fspath(tmp_path / "a.usda"))
    file = saved(tmp_path / "a.blend")
    names = [line.split()[1] for line in module("opened").FilesRead(True, print).digests]
    assert names == ["a.blend", "a.usda"]
    text = (tmp_path / "a.usda").read_text()
    (tmp_path / "a.usda").write_text(text + 'def "b" (references = @b.usda@) {}\n')
    reopened(file)
    for ending in ("usda", "usdc"):
        with pytest.raises(Exception, match=rf"a\.{ending} may name other files"):
            module("opened").FilesRead(True, print)
        bpy.data.cache_files[0].filepath = "//a.usdc"
        bpy.ops.wm.save_mainfile()


def test_what_is_named_is_replaced_by_no_output(raypick, type_in, tmp_path):
    """A folder of a bake and all frames of a sequence count, by whatever path."""
    square().modifiers.new("Ocean", "OCEAN").filepath = "//sea"
    volumes(tmp_path / "a_1.vdb")
    (tmp_path / "sea").mkdir()
    read = [tmp_path / "sea/disp_0001.exr", tmp_path / "a_2.vdb"]
    for path in read:
        path.write_bytes(b"one")
    (tmp_path / "link").symlink_to(tmp_path / "sea")
    os.link(tmp_path / "a_2.vdb", tmp_path / "hard.json")
    saved(tmp_path / "a.blend")
    for out in ("link/disp_0001.exr", "a_2.vdb", "a_1.vdb", "sea/../hard.json"):
        ran = type_in("info", "--json", out)
        assert ran.code == 2
        assert "which is read" in ran.err
    assert [path.read_bytes() for path in read] == [b"one"] * 2
