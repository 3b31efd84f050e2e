# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line as a whole: help, exit codes, errors in one line, interruption."""

import os
import signal
import sys
import threading

import bpy
import pytest

from tests.interruptible import interruptible

COMMANDS = ("cast", "survey", "landmarks", "info")


def test_help_names_all_commands_and_exit_codes(type_in):
    ran = type_in("--help")
    assert (ran.code, ran.err) == (0, "")
    assert all(f"    {name}" in ran.out for name in COMMANDS)
    assert "130" in ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(type_in, command):
    ran = type_in(command, "--help")
    assert ran.code == 0
    assert f"--command raypick {command}" in ran.out.split("examples:")[1]
    assert max(map(len, ran.out.splitlines())) <= 100


@pytest.mark.parametrize("argv", [[], ["render"], ["--list"], ["info", "--nope"], ["surv"]])
def test_what_is_no_command_is_wrong_usage(type_in, argv):
    ran = type_in(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert "--help" in ran.err


def test_an_unknown_error_is_one_line_and_debug_shows_where(
    animated, type_in, module, monkeypatch, capfd, raypick
):
    def broken(*_arguments):
        raise KeyError("who knows")

    monkeypatch.setattr(module("info"), "_cameras", broken)
    ran = type_in("info")
    assert ran.code == 1
    (line,) = ran.err.splitlines()
    assert line.startswith("raypick info: error: KeyError")
    assert "who knows" in line
    assert module("program").main(["info", "--debug"]) == 1
    assert "Traceback" in capfd.readouterr().err


def test_the_first_request_to_end_is_noted_and_the_second_ends_at_once(module):
    with interruptible():
        before = signal.getsignal(signal.SIGINT)
        with module("talk").noticed() as asked:
            os.kill(os.getpid(), signal.SIGTERM)
            assert asked.is_asked_for
            with pytest.raises(KeyboardInterrupt):
                asked.check()
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is before


def test_a_thread_can_do_a_command(animated, type_in):
    codes = []
    thread = threading.Thread(target=lambda: codes.append(type_in("landmarks", "--list").code))
    thread.start()
    thread.join()
    assert codes == [0]


@pytest.mark.parametrize(
    ("before", "code", "said"),
    [
        (["missing.blend"], 1, "missing.blend"),
        (["-b", "Missing.BLEND1"], 1, "Missing.BLEND1"),
        ([], 2, "before --command"),
        (["--python", "make.py"], 0, ""),
    ],
)
def test_without_a_file_nothing_is_cast_at_the_scene_of_blender(
    type_in, module, monkeypatch, capfd, before, code, said
):
    argv = ["blender", *before, "--command", "raypick", "info"]
    monkeypatch.setattr(sys, "argv", argv)
    assert module("program").from_blender(["info"]) == code
    assert said in capfd.readouterr().err
    assert module("program").from_blender(["info", "--help"]) == 0


def test_blender_knows_the_command_as_long_as_it_is_enabled(raypick, monkeypatch, module):
    known = []
    command = sys.modules[module("program").__name__.rpartition(".")[0]]
    monkeypatch.setattr(bpy.utils, "register_cli_command", lambda *given: known.append(given) or 7)
    monkeypatch.setattr(bpy.utils, "unregister_cli_command", known.remove)
    monkeypatch.setattr(command, "_handle", None)
    command.unregister()
    command.register()
    assert [name for name, _ in known] == ["raypick"]
    monkeypatch.setattr(bpy.utils, "unregister_cli_command", lambda _: known.clear())
    command.unregister()
    assert not known
    assert command._handle is None
    module("opened").watch()
