"""Arguments of kernels: model and inputs, then what is filled, then which frames; at most twelve.

Read off the code, not off docstrings: an argument is an output if the kernel, or one that it hands
the argument to, assigns to its elements.
"""

import ast
from pathlib import Path

import mocap_reroot

KERNELS = Path(mocap_reroot.__file__).parent / "kernels"
MOST = 12
WHERE = {
    *"abijkprst", "at", "to", "put", "first", "start", "stop", "step", "lanes", "lane", "frames",
    "count", "length", "pad", "one", "two", "row", "moving", "wanted", "fps",
}  # fmt: skip
"""Which frames, rows and bodies; these may stand behind the outputs."""


def _kernels() -> dict[tuple[str, str], ast.FunctionDef]:
    """Return every kernel by file and name."""
    found = {}
    for path in sorted(KERNELS.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
                if names & {"kernel", "inlined"}:
                    found[path.stem, node.name] = node
    return found


def _imports() -> dict[tuple[str, str], tuple[str, str]]:
    """Return where names that a file imports from other kernels stand."""
    found = {}
    for path in KERNELS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and "kernels." in (node.module or ""):
                for name in node.names:
                    home = node.module.rpartition(".")[2]
                    found[path.stem, name.asname or name.name] = home, name.name
    return found


def _name(node: ast.expr) -> str:
    """Return the array that an expression is, or is a part of."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Return targets of an assignment, each with its value."""
    pairs = []
    for target in node.targets:
        members = target.elts if isinstance(target, ast.Tuple) else [target]
        value = node.value
        values = value.elts if isinstance(value, ast.Tuple) else []
        each = values if len(values) == len(members) else [value] * len(members)
        pairs += zip(members, each, strict=True)
    return pairs


def _outputs() -> dict[tuple[str, str], set[str]]:
    """Return the arguments that each kernel fills."""
    kernels, imports = _kernels(), _imports()
    filled: dict[tuple[str, str], set[str]] = {key: set() for key in kernels}
    while True:
        before = {key: set(names) for key, names in filled.items()}
        for (module, name), kernel in kernels.items():
            arguments = [a.arg for a in kernel.args.args]
            views = {a: {a} for a in arguments}
            for _ in range(2):  # a view of a view
                for node in ast.walk(kernel):
                    for target, value in _pairs(node) if isinstance(node, ast.Assign) else ():
                        if isinstance(target, ast.Name) and _name(value) in views:
                            views.setdefault(target.id, set()).update(views[_name(value)])
            for node in ast.walk(kernel):
                targets = []
                if isinstance(node, ast.Assign):
                    targets = [target for target, _ in _pairs(node)]
                elif isinstance(node, ast.AugAssign):
                    targets = [node.target]
                for target in targets:
                    if isinstance(target, ast.Subscript):
                        filled[module, name] |= views.get(_name(target), set())
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    key = module, node.func.id
                    called = kernels.get(key) or kernels.get(imports.get(key, key))
                    home = key if key in kernels else imports.get(key, key)
                    for a, value in zip(
                        called.args.args if called else (), node.args, strict=False
                    ):
                        for part in value.elts if isinstance(value, ast.Tuple) else [value]:
                            if a.arg in filled[home]:
                                filled[module, name] |= views.get(_name(part), set())
            filled[module, name] &= set(arguments)
        if filled == before:
            return filled


OUTPUTS = _outputs()


def test_outputs_come_after_model_and_inputs():
    wrong = []
    for key, kernel in _kernels().items():
        arguments = [a.arg for a in kernel.args.args]
        outputs = [a for a in arguments if a in OUTPUTS[key]]
        ordered = [a for a in arguments if a in outputs or a not in WHERE]
        in_place = outputs == arguments[:1]  # like NumPy's own functions
        if not in_place and ordered[len(ordered) - len(outputs) :] != outputs:
            wrong.append((key, arguments, outputs))
    assert not wrong


def test_a_kernel_has_few_arguments():
    assert not [key for key, kernel in _kernels().items() if len(kernel.args.args) > MOST]


def test_outputs_are_told_from_inputs():
    assert OUTPUTS["newton_euler", "joint_wrenches"] == {"force", "moment"}
    assert OUTPUTS["rotations", "rotate"] == {"out"}
