# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that geometry nodes import: Blender's own list of paths lacks some of them.

A path is a string of a node, of an input of its group, or of the modifier. All strings that a
switch may choose count. Strings that other nodes compute, such as a name with the frame number, are
unknown unless they are evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import bpy

_PATH = "NodeSocketStringFilePath"
_TEXT = "NodeSocketString"
_SWITCHES = ("GeometryNodeSwitch", "GeometryNodeIndexSwitch", "GeometryNodeMenuSwitch")

# Returns the strings that an input of a tree may have, by its identifier.
_Inputs = Callable[[str], set[str]]


class UnknownFileError(Exception):
    """It is unknown which file is read; says why."""


def paths_of(objects: Iterable[Any]) -> tuple[set[str], list[str]]:
    """The absolute paths of all files that objects import, and why others are unknown."""
    found: set[str] = set()
    computed: list[str] = []
    known: dict[Any, bool] = {}
    for obj in objects:
        for modifier in obj.modifiers:
            tree = modifier.node_group if modifier.type == "NODES" else None
            if tree is not None and _imports(tree, known):
                for node, socket, inputs in _path_sockets(tree, partial(_given, modifier)):
                    try:
                        found |= _absolute(_texts(socket, inputs), node)
                    except UnknownFileError as error:
                        computed.append(f"{error} of {node.name!r} in {node.id_data.name!r}")
    return found, computed


def _imports(tree: Any, known: dict[Any, bool]) -> bool:
    """Whether nodes of a tree, or of its groups, read files."""
    if tree not in known:
        known[tree] = any(
            _imports(node.node_tree, known) if _is_group(node) else any(_paths_in(node))
            for node in tree.nodes
        )
    return known[tree]


def _path_sockets(tree: Any, inputs: _Inputs) -> Iterator[tuple[Any, Any, _Inputs]]:
    """The path sockets in a tree and its groups, each with its node and its tree's inputs."""
    for node in tree.nodes:
        if _is_group(node):
            yield from _path_sockets(node.node_tree, partial(_of_group, node, inputs))
        else:
            for socket in _paths_in(node):
                yield node, socket, inputs


def _paths_in(node: Any) -> list[Any]:
    """The inputs of a node that are paths of files that it reads."""
    if node.bl_idname in ("NodeGroupOutput", "NodeReroute"):
        return []
    return [socket for socket in node.inputs if socket.bl_idname == _PATH]


def _is_group(node: Any) -> bool:
    return getattr(node, "node_tree", None) is not None


def _texts(socket: Any, inputs: _Inputs) -> set[str]:
    links = [link for link in socket.links if not link.is_muted]
    if not links:
        return {socket.default_value}
    return set().union(*(_made_by(link.from_node, link.from_socket, inputs) for link in links))


def _made_by(node: Any, output: Any, inputs: _Inputs) -> set[str]:
    kind = node.bl_idname
    if kind == "NodeGroupInput":
        return inputs(output.identifier)
    if kind == "FunctionNodeInputString":
        return {node.string}
    if kind == "NodeReroute":
        return _texts(node.inputs[0], inputs)
    if kind in _SWITCHES:
        texts = [each for each in node.inputs if each.bl_idname.startswith(_TEXT)]
        return set().union(*(_texts(each, inputs) for each in texts))
    if _is_group(node):
        for inner in node.node_tree.nodes:
            if inner.bl_idname == "NodeGroupOutput" and inner.is_active_output:
                socket = _named(inner.inputs, output.identifier)
                return _texts(socket, partial(_of_group, node, inputs))
    raise UnknownFileError(f"{node.name!r} computes the path")


def _of_group(node: Any, inputs: _Inputs, identifier: str) -> set[str]:
    """The strings that an input of a group may have, from the node that uses the group."""
    return _texts(_named(node.inputs, identifier), inputs)


def _given(modifier: Any, identifier: str) -> set[str]:
    """The text that a modifier gives to an input of its tree."""
    if hasattr(modifier, "properties"):  # since Blender 5.1
        text = getattr(getattr(modifier.properties.inputs, identifier, None), "value", None)
    else:
        text = modifier.get(identifier)
    if not isinstance(text, str):
        raise UnknownFileError(f"there is no input {identifier!r} for the path")
    return {text}


def _named(sockets: Iterable[Any], identifier: str) -> Any:
    for socket in sockets:
        if socket.identifier == identifier:
            return socket
    raise UnknownFileError(f"there is no input {identifier!r} for the path")


def _absolute(texts: set[str], node: Any) -> set[str]:
    """Absolute paths: relative ones start at the file of the node, or at the open file."""
    libraries = {node.id_data.library, None}
    paths = [text for text in texts if text]
    return {bpy.path.abspath(path, library=each) for path in paths for each in libraries}
