"""Fingerprints: the same value gives the same digest, in every process and on every day.

`joblib.hash` would be the public function to ask, and is not stable enough to key a file that
outlives the process: it depends on which equal tuples happen to be one object, on the order of
frozensets (that is, on ``PYTHONHASHSEED``), on the block layout of frames and on lazily cached
flags of sparse matrices; and it does not notice that the code behind a name has changed. So the
bytes of a pickle are digested in which nothing is referred to twice and these are described first;
what cannot be pickled is refused.
"""

from __future__ import annotations

import functools
import hashlib
import json
import pickle
import site
import sys
import sysconfig
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["FingerprintError", "digest", "fingerprint"]

_SPARSE_PARTS = ("data", "indices", "indptr", "row", "col", "offsets", "rows")
# Attributes of a class that say nothing about what it computes, or change with its line number.
_CLASS_NOISE = {"__doc__", "__module__", "__qualname__", "__firstlineno__", "__annotations__"}
_ATOMS = (str, bytes, int, float, complex, bool, type(None))


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
    stream = _Digest()
    try:
        _Pickler(stream).dump(value)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError) as error:
        raise FingerprintError(
            f"a checkpoint needs values that another process can recognise; {name} holds one of "
            f"this process only: {error}. Write functions and classes with def or class at the top "
            "of a module, and give what a thing is made from, such as a path, for the thing."
        ) from None
    except RecursionError:
        raise FingerprintError(
            f"a checkpoint reads values down to some hundred levels; {name} is nested deeper than "
            "Python's recursion limit allows. Flatten it, or raise sys.setrecursionlimit."
        ) from None
    return stream.hexdigest()


def digest(value: Any) -> str:
    """Tell values apart, within this process."""
    try:
        return fingerprint(value)
    except FingerprintError:  # within one search its identity will do: the candidates hold it
        return f"object {id(value)}"


class _Digest:
    """A file that keeps the digest of what is written, and nothing else."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self.write = self._hash.update
        self.hexdigest = self._hash.hexdigest


class _Pickler(pickle._Pickler):  # noqa: SLF001  # in C it does not ask about sets
    """Pickles what `_described` gives, and a cycle as the way back to its start."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream, protocol=5)
        self.fast = True  # no references: which equal values are one object is chance
        self._open: dict[int, int] = {}

    def save(self, obj: Any, *args: Any, **kwargs: Any) -> None:
        write = super().save  # type: ignore[misc]  # typeshed does not know it
        if type(obj) in _ATOMS:
            write(obj, *args, **kwargs)
        elif id(obj) in self._open:
            write(f"back by {len(self._open) - self._open[id(obj)]}")
        else:
            self._open[id(obj)] = len(self._open)
            write(_described(obj), *args, **kwargs)
            del self._open[id(obj)]


def _described(value: Any) -> Any:
    """Describe by plain values what pickle would write by name, or not twice alike."""
    if type(value) in _BY_TYPE:
        return _BY_TYPE[type(value)](value)
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return "scalar", repr(value.dtype), value.tobytes()
    if isinstance(value, type):
        return "class", _named(value), [_class_code(base) for base in value.__mro__[:-1]]
    return _sparse(value) if sp.issparse(value) else _frame(value)


def _items(value: Any) -> Any:
    """Describe texts and numbers by the million at once."""
    if value and {str, float, type(None)}.issuperset(map(type, value)):
        return "texts", type(value).__name__, json.dumps(value)
    return value


def _array(value: Any) -> Any:
    """Describe an array by its numbers, in the order in which they lie in memory."""
    fortran = value.flags.f_contiguous and not value.flags.c_contiguous
    if value.dtype.hasobject or value.dtype.kind == "T":
        numbers = value.ravel().tolist()
    else:
        flat = np.ascontiguousarray(value.T if fortran else value).reshape(-1).view(np.uint8)
        numbers = hashlib.blake2b(flat.data).digest()
    return "array", repr(value.dtype), value.shape, fortran, numbers


def _sparse(value: Any) -> Any:
    """Describe what defines a matrix: scipy also caches whether the indices are sorted."""
    name = type(value).__name__
    value = value.tocoo() if value.format == "dok" else value
    return name, value.shape, [getattr(value, part, None) for part in _SPARSE_PARTS]


def _frame(value: Any) -> Any:
    """Describe pandas and polars objects column by column; give any other as it is."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    parts: Any = None
    if polars is not None and isinstance(value, polars.DataFrame | polars.Series):
        columns = value.get_columns() if hasattr(value, "get_columns") else [value]
        parts = [(column.name, repr(column.dtype), column.to_list()) for column in columns]
    elif pandas is None:
        return value
    elif isinstance(value, pandas.DataFrame):
        columns = [value.iloc[:, number].array for number in range(value.shape[1])]
        parts = value.columns, value.index, columns
    elif isinstance(value, pandas.MultiIndex):
        parts = list(value.names), value.to_list()
    elif isinstance(value, pandas.Series | pandas.Index):
        parts = value.name, getattr(value, "index", None), value.array
    elif isinstance(value, pandas.Categorical):
        parts = value.ordered, value.categories.array, np.asarray(value.codes)
    elif isinstance(value, pandas.api.extensions.ExtensionArray):
        parts = str(value.dtype), np.asarray(value.isna()), np.asarray(value)
    return value if parts is None else (type(value).__name__, parts)


def _named(value: Any) -> tuple[str, str]:
    """Name a class or function, if the name leads back to it."""
    module, name = getattr(value, "__module__", None) or "", value.__qualname__
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not value and module:
        raise pickle.PicklingError(f"{name!r} cannot be imported under its name")
    return module, name


def _class_code(value: type) -> Any:
    version = _version_of(value)
    found = []
    for name, attribute in sorted(vars(value).items()) if version is None else ():
        inner = getattr(attribute, "__func__", getattr(attribute, "fget", attribute))
        if name not in _CLASS_NOISE and isinstance(inner, types.FunctionType):
            found.append((name, _code(inner.__code__)))
        elif name not in _CLASS_NOISE and type(attribute) in _ATOMS:
            found.append((name, attribute))
    return value.__module__, value.__qualname__, version, found


def _function(value: types.FunctionType) -> Any:
    code: Any = _version_of(value)
    if code is None:
        wrapped = getattr(value, "__wrapped__", None)
        code = _code(value.__code__), value.__defaults__, value.__kwdefaults__, wrapped
    return "function", _named(value), code


def _code(code: types.CodeType) -> Any:
    constants = [_code(one) if isinstance(one, types.CodeType) else one for one in code.co_consts]
    return code.co_code, code.co_names, code.co_freevars, constants


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


_BY_TYPE: dict[type, Callable[[Any], Any]] = {
    list: _items,
    tuple: _items,
    np.ndarray: _array,
    np.memmap: _array,
    # Not as pickled, where the filler is there once it has been asked for.
    np.ma.MaskedArray: lambda value: ("masked", np.ma.getmaskarray(value), value.filled()),
    set: lambda value: ("set", sorted(map(fingerprint, value))),
    frozenset: lambda value: ("frozenset", sorted(map(fingerprint, value))),
    np.random.RandomState: lambda value: ("RandomState", value.get_state(legacy=False)),
    np.random.Generator: lambda value: ("Generator", value.bit_generator.state),
    np.ufunc: lambda value: ("ufunc", value.__name__),
    types.FunctionType: _function,
}
