"""Fingerprints: the same value gives the same digest, in every process and on every day.

`joblib.hash` would be the public function to ask, and is not stable enough to key a file that
outlives the process: it depends on which equal tuples happen to be one object, on the order of
frozensets (that is, on ``PYTHONHASHSEED``), on the block layout of frames and on lazily cached
flags of sparse matrices; and it does not notice that the code behind a name has changed. So
values are written down here by what they are, and what cannot be written down is refused.
"""

from __future__ import annotations

import copyreg
import functools
import hashlib
import io
import site
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["FingerprintError", "fingerprint"]

_DIGEST_BYTES = 16
_ATOMS = (str, bytes, int, float, complex, bool, type(None), type(Ellipsis), slice, range)
_SPARSE_PARTS = ("data", "indices", "indptr", "row", "col", "offsets", "rows")
# Attributes of a class that say nothing about what it computes, or change with its line number.
_CLASS_NOISE = {"__doc__", "__module__", "__qualname__", "__firstlineno__", "__annotations__"}


class FingerprintError(ValueError):
    """A value has no fingerprint that another process would find again."""


def fingerprint(value: Any, *, name: str = "value") -> str:
    """Digest a value so that equal values agree between processes.

    Covered are plain Python values and containers, arrays, sparse matrices, pandas and polars
    frames, random states (by their state), classes and functions that can be imported (by name,
    and by version or code), and objects made of these, such as estimators and scorers.

    Parameters
    ----------
    value : object
        What to digest.
    name : str
        What to call the value in an error message.

    Returns
    -------
    str
        32 hexadecimal digits. Errs towards telling apart: memory layout, dtype and the order of
        a dict count, since they can change the last bit of a result. Helper functions that a
        class or function calls by name are not followed.

    Raises
    ------
    FingerprintError
        If the value holds a lambda, a function defined inside another one, an open file, a
        generator, a lock or another thing that lives in one process only.

    Examples
    --------
    >>> from skmaxev.engine.fingerprint import fingerprint
    >>> fingerprint({"C": 1.0}) == fingerprint({"C": 1.0})
    True
    >>> fingerprint({"C": 1.0}) == fingerprint({"C": 1})
    False
    """
    writer = _Writer(name)
    writer.write(value)
    return writer.digest()


class _Writer:
    """Feeds one digest with a prefix-free description of a value."""

    def __init__(self, name: str) -> None:
        self._hash = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        self._where = [name]
        self._open: dict[int, int] = {}

    def digest(self) -> str:
        return self._hash.hexdigest()

    def _tag(self, *words: object) -> None:
        text = repr(words).encode("utf-8", "backslashreplace")
        self._hash.update(len(text).to_bytes(8, "little") + text)

    def write(self, value: Any) -> None:
        """Add a value; a cycle is written as the way back to its start."""
        if type(value) in _ATOMS:
            self._tag(type(value).__name__, value)
            return
        if id(value) in self._open:
            self._tag("cycle", len(self._open) - self._open[id(value)])
            return
        self._open[id(value)] = len(self._open)
        _writer_of(value)(self, value)
        del self._open[id(value)]

    def child(self, label: str, value: Any) -> None:
        """Add a part of the value being written."""
        self._where.append(label)
        self.write(value)
        self._where.pop()

    def buffer(self, values: np.ndarray[Any, Any]) -> None:
        """Add an array's numbers, in the order in which they lie in memory."""
        flat = values.T if values.flags.f_contiguous else values
        raw = np.ascontiguousarray(flat).reshape(-1).view(np.uint8)
        self._tag("bytes", raw.nbytes)
        self._hash.update(raw.data)

    def refuse(self, what: str, cure: str) -> FingerprintError:
        """Build the error that says where the unstable value sits."""
        return FingerprintError(
            f"a checkpoint needs values that another process can recognise; "
            f"{''.join(self._where)} is {what}. {cure}"
        )

    # What follows writes one kind of value each; `_writer_of` chooses.

    def array(self, value: np.ndarray[Any, Any]) -> None:
        kind = "ndarray" if isinstance(value, np.memmap) else type(value).__name__
        layout = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        self._tag(kind, repr(value.dtype), value.shape, layout)
        if value.dtype.hasobject or value.dtype.kind == "T":
            self.items(value.ravel().tolist())
        else:
            self.buffer(value)

    def masked(self, value: np.ma.MaskedArray[Any, Any]) -> None:
        self._tag("masked")
        self.child(".mask", np.ma.getmaskarray(value))
        self.child(".data", value.filled())

    def scalar(self, value: np.generic) -> None:
        self._tag("scalar", repr(value.dtype))
        if value.dtype.hasobject:
            self.write(value.item())
        else:
            self.buffer(np.asarray(value))

    def sparse(self, value: Any) -> None:
        # Only what defines the matrix: scipy also caches whether the indices are sorted.
        value = value.tocoo() if value.format == "dok" else value
        self._tag("sparse", type(value).__name__, value.shape)
        for part in _SPARSE_PARTS:
            if hasattr(value, part):
                self.child(f".{part}", getattr(value, part))

    def items(self, value: Sequence[Any]) -> None:
        self._tag("items", type(value).__name__, len(value))
        kinds = set(map(type, value))
        if kinds == {str}:
            # Texts by the million: lengths and one long text instead of one call each.
            self.buffer(np.fromiter(map(len, value), dtype=np.int64, count=len(value)))
            self._hash.update("".join(value).encode("utf-8", "surrogatepass"))
        elif kinds == {float}:
            self.buffer(np.array(value, dtype=np.float64))
        else:
            for position, item in enumerate(value):
                self.child(f"[{position}]", item)

    def mapping(self, value: Mapping[Any, Any]) -> None:
        self._tag("mapping", len(value))
        for key, item in value.items():
            self.write(key)
            self.child(f"[{key!r}]", item)

    def unordered(self, value: Iterable[Any]) -> None:
        digests = sorted(fingerprint(item, name="".join(self._where)) for item in value)
        self._tag("set", type(value).__name__, digests)

    def pandas(self, value: Any) -> None:
        self._tag("pandas", type(value).__name__, value.shape)
        if value.ndim == 2:
            self.child(".columns", value.columns)
            self.child(".index", value.index)
            for position in range(value.shape[1]):
                self.child(f".iloc[:, {position}]", value.iloc[:, position].array)
        elif hasattr(value, "levels"):
            self.child(".names", list(value.names))
            self.child(".to_list()", value.to_list())
        else:
            self.child(".name", value.name)
            self.child(".index", getattr(value, "index", None))
            self.child(".array", value.array)

    def pandas_array(self, value: Any) -> None:
        self._tag("pandas array", str(value.dtype))
        if hasattr(value, "codes"):
            self.child(".categories", value.categories.array)
            self.child(".codes", np.asarray(value.codes))
            return
        self.child(".isna", np.asarray(value.isna()))
        self.child(".values", np.asarray(value))

    def polars(self, value: Any) -> None:
        columns = value.get_columns() if hasattr(value, "get_columns") else [value]
        self._tag("polars", type(value).__name__, value.shape)
        for column in columns:
            self._tag(column.name, repr(column.dtype))
            self.child(f"[{column.name!r}]", column.to_list())

    def random_state(self, value: np.random.RandomState) -> None:
        self._tag("RandomState")
        self.mapping(value.get_state(legacy=False))

    def generator(self, value: np.random.Generator) -> None:
        self._tag("Generator")
        self.mapping(value.bit_generator.state)

    def klass(self, value: type) -> None:
        self._named(value)
        for base in value.__mro__[:-1]:
            self._tag(base.__module__, base.__qualname__, _version_of(base))
            if _version_of(base) is None:
                self._class_code(base)

    def _class_code(self, value: type) -> None:
        for name, attribute in sorted(vars(value).items()):
            inner = getattr(attribute, "__func__", getattr(attribute, "fget", attribute))
            if name not in _CLASS_NOISE and isinstance(inner, types.FunctionType):
                self._tag(name)
                self._code(inner.__code__)
            elif type(attribute) in _ATOMS and name not in _CLASS_NOISE:
                self._tag(name, attribute)

    def function(self, value: Any) -> None:
        self._named(value)
        version = _version_of(value)
        self._tag("function", version)
        if version is None and isinstance(value, types.FunctionType):
            self._code(value.__code__)
            self.child(".__defaults__", value.__defaults__)
            self.child(".__kwdefaults__", value.__kwdefaults__)
            self.child(".__wrapped__", getattr(value, "__wrapped__", None))

    def _named(self, value: Any) -> None:
        """Write the name of a class or function, if it leads back to it."""
        module, name = getattr(value, "__module__", None), value.__qualname__
        found: Any = sys.modules.get(module or "")
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not value and module is not None:
            raise self.refuse(
                f"{name!r}, which cannot be imported under its name",
                "Define it with def or class at the top of a module.",
            )
        self._tag("name", module, name)

    def _code(self, code: types.CodeType) -> None:
        self._tag("code", code.co_code, code.co_names, code.co_freevars)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant)
            else:
                self.write(constant)

    def partial(self, value: functools.partial[Any]) -> None:
        self._tag("partial")
        self.child(".func", value.func)
        self.child(".args", value.args)
        self.child(".keywords", value.keywords)

    def method(self, value: Any) -> None:
        self._tag("method", value.__name__)
        self.child(".__self__", value.__self__)

    def builtin(self, value: Any) -> None:
        if value.__self__ is None or isinstance(value.__self__, types.ModuleType):
            self.function(value)
        else:
            self.method(value)

    def ufunc(self, value: np.ufunc) -> None:
        self._tag("ufunc", value.__name__)

    def dtype(self, value: np.dtype[Any]) -> None:
        self._tag("dtype", repr(value))

    def handle(self, value: Any) -> None:
        raise self.refuse(
            f"a {type(value).__name__}, which lives in this process only",
            "Give what it is made from, such as a path, instead.",
        )

    def instance(self, value: Any) -> None:
        """Write any other object as pickle takes it apart."""
        state = _estimator_state(value) or _reduced(self, value)
        self._tag("instance")
        self.klass(type(value))
        for label, part in state:
            self.child(label, part)


def _estimator_state(value: Any) -> list[tuple[str, Any]] | None:
    """Take an estimator apart by name, without the version that scikit-learn adds."""
    state = value.__getstate__() if hasattr(value, "get_params") else None
    if not isinstance(state, dict):
        return None
    return [(f".{name}", state[name]) for name in sorted(state) if name != "_sklearn_version"]


def _reduced(writer: _Writer, value: Any) -> list[tuple[str, Any]]:
    try:
        known = copyreg.dispatch_table.get(type(value))
        reduced: Any = known(value) if known else value.__reduce_ex__(4)
    except (TypeError, AttributeError, ValueError) as error:
        raise writer.refuse(
            f"a {type(value).__name__}, which cannot be pickled ({error})",
            "Give a value that can.",
        ) from None
    if isinstance(reduced, str):
        return [(".name", reduced)]
    parts = [list(part) if hasattr(part, "__next__") else part for part in reduced]
    if isinstance(parts[1], tuple) and parts[1][:1] == (type(value),):
        parts[1] = parts[1][1:]
    if len(parts) > 2 and isinstance(parts[2], dict):
        named = [(f".{name}", part) for name, part in sorted(parts[2].items())]
        parts[2] = [name for name, _ in named]
        return [("", parts), *named]
    return [("", parts)]


@functools.cache
def _installed_in() -> tuple[str, ...]:
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    return tuple(str(path) for path in (*paths, site.getusersitepackages()))


def _version_of(value: Any) -> str | None:
    """Version of the installed package behind a class or function.

    None if there is none: the code of one's own package changes under one version.
    """
    root = (getattr(value, "__module__", None) or "builtins").partition(".")[0]
    if root in sys.stdlib_module_names and root != "__main__":
        return "standard library"
    module = sys.modules.get(root)
    version = getattr(module, "__version__", None)
    installed = str(getattr(module, "__file__", None)).startswith(_installed_in())
    return version if installed and isinstance(version, str) else None


_BY_TYPE: tuple[tuple[Any, Callable[[_Writer, Any], None]], ...] = (
    (np.ma.MaskedArray, _Writer.masked),
    (np.ndarray, _Writer.array),
    (np.generic, _Writer.scalar),
    (np.dtype, _Writer.dtype),
    (np.ufunc, _Writer.ufunc),
    (np.random.RandomState, _Writer.random_state),
    (np.random.Generator, _Writer.generator),
    (type, _Writer.klass),
    (types.FunctionType, _Writer.function),
    (types.BuiltinFunctionType, _Writer.builtin),
    (types.MethodType, _Writer.method),
    (functools.partial, _Writer.partial),
    ((io.IOBase, types.GeneratorType, types.ModuleType), _Writer.handle),
)
_BY_EXACT_TYPE: dict[type, Callable[[_Writer, Any], None]] = {
    list: _Writer.items,
    tuple: _Writer.items,
    dict: _Writer.mapping,
    set: _Writer.unordered,
    frozenset: _Writer.unordered,
}


def _writer_of(value: Any) -> Callable[[_Writer, Any], None]:
    if type(value) in _BY_EXACT_TYPE:
        return _BY_EXACT_TYPE[type(value)]
    for kinds, writer in _BY_TYPE:
        if isinstance(value, kinds):
            return writer
    if sp.issparse(value):
        return _Writer.sparse
    return _frame_writer(value) or _Writer.instance


def _frame_writer(value: Any) -> Callable[[_Writer, Any], None] | None:
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None:
        if isinstance(value, pandas.DataFrame | pandas.Series | pandas.Index):
            return _Writer.pandas
        if isinstance(value, pandas.api.extensions.ExtensionArray):
            return _Writer.pandas_array
    if polars is not None and isinstance(value, polars.DataFrame | polars.Series):
        return _Writer.polars
    return None
