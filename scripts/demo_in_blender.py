# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of the demonstration that runs in Blender: a scene, picks, a picture.

Started by ``demo.py`` with the extension's zip and the picture to write.
"""

import importlib
import sys
import time
from pathlib import Path

import bpy
from mathutils import Matrix, Vector

from demo_scene import add_camera, build_scene

PIXELS = {
    "Suzanne's temple": (600, 405),
    "Suzanne's cheek": (575, 345),
    "a cone by Geometry Nodes": (770, 190),
    "a pearl by a collection": (520, 150),
    "the floor": (890, 95),
    "the sky": (60, 580),
}
_SAMPLES = 48
_WHITE, _YELLOW, _RED = (1, 1, 1), (1, 0.75, 0), (1, 0.02, 0.02)


def main(extension: str, picture: Path) -> None:
    bpy.ops.extensions.package_install_files(
        repo="user_default", filepath=extension, enable_on_install=True
    )
    api = importlib.import_module("bl_ext.user_default.raypick.api")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    build_scene()
    camera = api.render_camera(bpy.context)
    marks = []
    for name, (x, y) in PIXELS.items():
        ray = camera.ray(x + 0.5, y + 0.5)  # the center of the pixel
        start = time.perf_counter()
        hits = api.ray_cast(bpy.context, ray.origin, ray.direction, all_hits=True)
        seconds = time.perf_counter() - start
        tell(name, (x, y), hits, seconds)
        marks.append((ray, hits))
    sys.stdout.flush()
    for ray, hits in marks:
        draw(ray, hits)
    render(picture)
    print("\nRays are white, the triangles they hit yellow, the points red.")
    print("Thin yellow lines lead from the scene's origin to the points.")
    print(f"The picture is at {picture}", flush=True)


def tell(name: str, position: tuple[int, int], hits: list, seconds: float) -> None:
    count = "nothing hit" if not hits else f"{len(hits)} hit{'s' * (len(hits) > 1)}"
    print(f"\n{name}, pixel {position}: {count}, in {seconds * 1e3:.2f} ms")
    if not hits:
        return
    hit = hits[0]
    instanced = f", instance {hit.instance} of {hit.instancer}" if hit.instancer else ""
    print(f"  object       {hit.object}{instanced}")
    print(f"  face         {hit.face} (original: {hit.original_face}), material {hit.material}")
    print(f"  triangle     {hit.triangle}, vertices {hit.vertices}")
    for name in ("barycentric", "point", "normal", "uv", "distance"):
        print(f"  {name if name != 'uv' else 'UV':12} {getattr(hit, name)}")
    print(f"  behind it    {', '.join(other.object for other in hits[1:]) or 'nothing'}")


def draw(ray, hits: list) -> None:
    if not hits:
        return
    hit = hits[0]
    point, normal = Vector(hit.point), Vector(hit.normal)
    toward_eye = normal if hit.front else -normal
    matrix = Matrix(hit.matrix_world)
    corners = [matrix @ corner for corner in corners_of(hit)]
    raised = [corner + toward_eye * 4e-3 for corner in corners]
    mesh = bpy.data.meshes.new("Triangle")
    mesh.from_pydata(raised, [], [(0, 1, 2)])
    mesh.materials.append(glow(_YELLOW))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Triangle", mesh))
    add_tube(Vector(ray.origin), point, 0.006, _WHITE)
    add_tube(Vector((0, 0, 0)), point, 0.005, _YELLOW)
    size = ((corners[1] - corners[0]).cross(corners[2] - corners[0]).length / 2) ** 0.5
    bpy.ops.mesh.primitive_uv_sphere_add(radius=min(0.2 * size, 0.03), location=point)
    bpy.context.object.data.materials.append(glow(_RED))


def corners_of(hit) -> list[Vector]:
    """The local corners of the triangle, read from Blender by the indices of the hit."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for shown in depsgraph.object_instances:
        names = shown.object.name, shown.parent.name if shown.is_instance else None
        if names == (hit.object, hit.instancer) and shown.object.type == "MESH":
            vertices = shown.object.data.vertices
            return [vertices[index].co.copy() for index in hit.vertices]
    raise LookupError(f"{hit.object} is not in the scene any more")


def add_tube(start: Vector, end: Vector, radius: float, color: tuple) -> None:
    along = end - start
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=8,
        radius=radius,
        depth=along.length,
        end_fill_type="NOTHING",
        location=(start + end) / 2,
        rotation=along.to_track_quat("Z", "Y").to_euler(),
    )
    bpy.context.object.data.materials.append(glow(color))


def glow(color: tuple) -> bpy.types.Material:
    material = bpy.data.materials.new("Glow")
    nodes = material.node_tree.nodes
    nodes.clear()
    emission, output = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
    emission.inputs["Color"].default_value = (*color, 1)
    emission.inputs["Strength"].default_value = 1.5
    material.node_tree.links.new(emission.outputs[0], output.inputs["Surface"])
    return material


def render(picture: Path) -> None:
    """Render the scene and the rays from the side, with Cycles, which needs no graphics card."""
    scene = bpy.context.scene
    scene.camera = add_camera((4.2, -5.0, 2.9), (0.55, -1.5, 0.85), 34)
    world = bpy.data.worlds.new("World")
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.25, 0.32, 0.4, 1)
    scene.world = world
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 2.5, (0.6, 0.3, 0.2)
    scene.collection.objects.link(sun)
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples = "CPU", _SAMPLES
    scene.cycles.use_denoising = True
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = str(picture)
    scene.render.image_settings.file_format = "PNG"
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
