"""The contents of help() and of editor hints."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import urdfik
from urdfik import _urdfik

STUB = ast.parse(Path(_urdfik.__file__).with_name("_urdfik.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef) and node.name in urdfik.__all__}


def methods():
    for name, node in CLASSES.items():
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and not any("property" in ast.unparse(d) for d in method.decorator_list):
                yield pytest.param(getattr(urdfik, name), method, id=f"{name}.{method.name}")


@pytest.mark.parametrize("owner, stub", list(methods()))
def test_the_stub_has_the_arguments_and_defaults_of_the_module(owner, stub):
    is_new = stub.name == "__new__"
    shown = inspect.signature(owner if is_new else getattr(owner, stub.name))
    runtime = [p for p in shown.parameters.values() if p.name != "self"]
    plain, keyword = stub.args.args[1:], stub.args.kwonlyargs
    defaults = [None] * (len(plain) - len(stub.args.defaults)) + stub.args.defaults + stub.args.kw_defaults
    assert [p.name for p in runtime] == [argument.arg for argument in plain + keyword]
    for parameter, default, argument in zip(runtime, defaults, plain + keyword, strict=True):
        assert (parameter.kind is parameter.KEYWORD_ONLY) == (argument in keyword)
        expected = inspect.Parameter.empty if default is None else ast.literal_eval(default)
        assert parameter.default == expected, parameter


def test_the_defaults_of_a_servo_are_those_shown(arm):
    saved = arm.servo(100, arm.solve([0.4, -0.1, 0.3, 1, 0, 0, 0]).positions).__reduce__()[1][1]
    shown = {p.name: p.default for p in inspect.signature(urdfik.Arm.servo).parameters.values()}
    assert saved["speeds"] == [shown["linear_speed"], shown["angular_speed"]]
    assert saved["slack"] == [shown["slack_position"], shown["slack_orientation"]]
    assert saved["max_deviation_angle"] == shown["max_deviation_angle"]


@pytest.mark.parametrize("name", list(CLASSES))
def test_everything_public_is_in_the_stub_and_explained(name):
    owner = getattr(urdfik, name)
    public = {member for member in vars(owner) if not member.startswith("_")}
    in_stub = {node.name for node in CLASSES[name].body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}
    assert public == in_stub
    assert owner.__doc__ and owner.__module__ == "urdfik"
    for member in public:
        assert getattr(owner, member).__doc__, member


def test_the_documentation_of_a_solve_names_every_argument_with_its_unit():
    text = inspect.getdoc(urdfik.Arm.solve)
    for argument in list(inspect.signature(urdfik.Arm.solve).parameters)[1:]:
        assert re.search(rf"\b{argument}\b", text), argument
    for words in ("[m, rad]", "[rad or m]", "[s]", "(n,)"):
        assert words in text


def test_a_program_and_the_package_pass_mypy_strict():
    package = Path(urdfik.__file__).parent
    checked = [Path(__file__).with_name("typed_program.py"), *package.glob("*.py")]
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={package.parent / 'mypy'}", *checked]
    found = subprocess.run(command, env=os.environ | {"MYPYPATH": str(package.parent)}, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
