# SPDX-License-Identifier: GPL-3.0-or-later
"""The compositor's nodes, in the words of each Blender."""

import bpy
import numpy as np

from . import exr_parts

IS_GROUP = bpy.app.version >= (5, 0)


class Compositor:
    """The compositor of the scene, without nodes at first."""

    def __init__(self):
        scene = bpy.context.scene
        if IS_GROUP:
            self.nodes = bpy.data.node_groups.new("Compositor", "CompositorNodeTree")
            scene.compositing_node_group = self.nodes
        else:
            scene.use_nodes = True
            self.nodes = scene.node_tree
            self.nodes.nodes.clear()

    def file(self, folder, name):
        """A node that writes a multilayer file; it has no inputs."""
        node = self.nodes.nodes.new("CompositorNodeOutputFile")
        node.format.file_format = "OPEN_EXR_MULTILAYER"
        node.format.color_depth, node.format.exr_codec = "32", "ZIP"
        if IS_GROUP:
            node.directory, node.file_name = str(folder), name
        else:
            node.base_path = str(folder / name)
            node.layer_slots.clear()
        return node

    def write(self, output, node):
        """Have a file node write an output."""
        if IS_GROUP:
            node.file_output_items.new(output.type.replace("VALUE", "FLOAT"), output.name)
        else:
            node.layer_slots.new(output.name)
        self.nodes.links.new(output, node.inputs[output.name])

    def show(self, output):
        """Have the compositor's picture be an output."""
        if IS_GROUP:
            self.nodes.interface.new_socket("Image", in_out="OUTPUT", socket_type="NodeSocketColor")
            sink = self.nodes.nodes.new("NodeGroupOutput")
        else:
            sink = self.nodes.nodes.new("CompositorNodeComposite")
        self.nodes.links.new(output, sink.inputs[0])

    def compare(self, source, plain, folder):
        """Assert that the outputs of a node are the passes of a render, to the last bit.

        Return how many numbers each has.
        """
        outputs = {each.name: each for each in source.outputs if each.enabled}
        (view,) = plain.views.values()
        passes = view.told["passes"]
        assert {*passes} <= {*outputs}
        node = self.file(folder, "composed")
        for name in passes:
            self.write(outputs[name], node)
        bpy.ops.render.render()
        (path,) = folder.glob("composed*.exr")
        composed = exr_parts.read(path).channels
        for name in passes:
            was, now = ([*_channels(each, name)] for each in (view.channels, composed))
            assert len(now) >= min(len(was), 3)  # for Blender a vector has three numbers
            for before, after in zip(was, now, strict=False):
                assert before.dtype == after.dtype == np.float32
                assert np.array_equal(before.view(np.uint32), after.view(np.uint32)), name
        return {name: len([*_channels(composed, name)]) for name in passes}


def _channels(channels, name):
    """The channels of a pass, in the order of its numbers."""
    own = {each.rpartition(".")[2]: each for each in channels if f".{name}." in f".{each}"}
    return [channels[own[letter]] for letter in "VXYZWRGBA" if letter in own]
