"""Change one thing in the code at random and see whether a test of its room notices.

    python -m benchmarks.mutants estimators --sample 80 --seed 1
    python -m benchmarks.mutants metrics --only influence.py --sample 40
    python -m benchmarks.mutants correction --sample 40 --tests tests/correction tests/report
    python -m benchmarks.mutants estimators --sample 80 --slow  # then slow tests, too

One mutant after the other, in a copy of this checkout; the same seed draws the same mutants of the
same code. What survives is a missing test, dead code, or a change that changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

PRELOADED = ["pandas", "pytest", "scipy.special", "scipy.integrate", "scipy.optimize"]
PRELOADED += ["scipy.stats", "sklearn.linear_model", "sklearn.model_selection", "sklearn.metrics"]
NAMES = ["min max", "minimum maximum", "argmin argmax", "nanmin nanmax", "any all", "floor ceil"]
SWAPPED = {a: b for pair in map(str.split, NAMES) for a, b in (pair, pair[::-1])}
OPERATORS = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult], ast.FloorDiv: [ast.Div], ast.Mod: [ast.Mult], ast.And: [ast.Or],
    ast.Or: [ast.And], ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt], ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}  # fmt: skip


def with_(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def changes(node: ast.AST) -> list[ast.AST]:
    """What may stand in the place of this node."""
    found: list[ast.AST] = []
    match node:
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            found = [with_(node, op=op()) for op in OPERATORS.get(type(node.op), [])]
        case ast.Compare(ops=[op]):
            found = [with_(node, ops=[other()]) for other in OPERATORS[type(op)]]
        case ast.Constant(value=bool(value)):
            found = [with_(node, value=not value)]
        case ast.Constant(value=int(value) | float(value)):
            found = [with_(node, value=value + 1 if isinstance(value, int) else 2 * value or 1.0)]
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            found = [node.operand]
        case ast.IfExp() | ast.If() | ast.While():
            found = [with_(node, test=ast.UnaryOp(ast.Not(), node.test))]
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in SWAPPED:
            found = [with_(node, **{node._fields[isinstance(node, ast.Attribute)]: SWAPPED[name]})]
        case ast.Call(args=[first, second, *rest]) if not isinstance(first, ast.Starred):
            found = [with_(node, args=[second, first, *rest])]
    return found


class Put(ast.NodeTransformer):
    def __init__(self, place: ast.AST, other: ast.AST) -> None:
        self.place, self.other = place, other

    def visit(self, node: ast.AST) -> ast.AST:
        return self.other if node is self.place else super().visit(node)


def sites(node: ast.AST) -> list[ast.AST]:
    """Nodes that do something: no words of errors, no annotations."""
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return []
    skipped = {"annotation", "returns"}
    fields = [value for name, value in ast.iter_fields(node) if name not in skipped]
    children = [c for f in fields for c in (f if isinstance(f, list) else [f])]
    return [node, *(s for c in children if isinstance(c, ast.AST) for s in sites(c))]


def mutants(path: Path) -> list[tuple[Path, ast.AST, ast.AST, ast.AST]]:
    """All mutants of a module: its path and tree, the node and what comes in its place."""
    tree = ast.parse(path.read_text())
    return [(path, tree, place, other) for place in sites(tree) for other in changes(place)]


def render(path: Path, tree: ast.AST, place: ast.AST, other: ast.AST) -> tuple[str, str]:
    """Where and what, and the whole source."""
    was, now = (ast.unparse(node).split("\n")[0] for node in (place, other))
    changed = Put(place, other).visit(copy.deepcopy(tree, {id(place): place}))
    return f"{path.name}:{place.lineno}: {was}  ->  {now}", ast.unparse(changed)


def passes(copied: Path, arguments: list[str], seconds: int) -> bool:
    """Whether the tests pass in time, in a fork that need not load the libraries again."""
    pid = os.fork()
    if pid == 0:
        import pytest

        os.chdir(copied)
        sys.path.insert(0, str(copied))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *arguments]))
    return os.waitpid(pid, 0)[1] == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room", help="a package of skmaxev")
    parser.add_argument("--only", default="*.py", help="modules, as a pattern")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", nargs="+", help="default: those of the room")
    parser.add_argument("--slow", action="store_true", help="slow tests for what survives")
    given = parser.parse_args()
    tests = given.tests or [f"tests/{given.room}"]
    sys.dont_write_bytecode = True
    for name in PRELOADED:
        __import__(name)
    modules = sorted(Path("skmaxev", given.room).glob(given.only))
    pool = [mutant for path in modules for mutant in mutants(path)]
    drawn = random.Random(given.seed).sample(pool, min(given.sample, len(pool)))  # noqa: S311
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder)
        for name in ("skmaxev", "tests"):
            shutil.copytree(name, copied / name)
        shutil.copy("pyproject.toml", copied)
        start = time.perf_counter()
        assert passes(copied, tests, 1200), "the tests fail without any mutant"
        seconds = 20 + 4 * int(time.perf_counter() - start)
        for path, *change in drawn:
            label, source = render(path, *change)
            near = [f"{room}/test_{path.stem.strip('_')}.py" for room in tests]
            order = [test for test in near if Path(test).exists()] + tests
            (copied / path).write_text(source)
            lives = passes(copied, order, seconds) and not (
                given.slow and not passes(copied, ["-m", "slow", *tests, "tests/statistics"], 1200)
            )
            shutil.copy(path, copied / path)
            survivors += lives
            print("SURVIVES" if lives else "killed  ", label, flush=True)
    print(f"{given.room}: {len(drawn) - survivors} of {len(drawn)} killed, {len(pool)} possible")


if __name__ == "__main__":
    main()
