"""The folders that a sandbox may still read: programs and tables, nothing that belongs to the installation."""

import os
import sys
import sysconfig
from collections.abc import Iterable
from glob import glob

_SYSTEM = (
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/usr/share/fonts",
    "/usr/share/zoneinfo",
)
_PACKAGE_FOLDERS = ("site-packages", "dist-packages", "lib-dynload")
_LOADERS = ("/lib*/ld-*", "/lib/*/ld-*", "/usr/lib*/ld-*")


def library_folders(modules: Iterable[str]) -> list[str]:
    """The libraries of Python and of the system, and the packages of these modules: what may be loaded late."""
    names = sysconfig.get_paths()
    libraries = {names[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    libraries |= {entry for entry in sys.path if os.path.basename(entry) in _PACKAGE_FOLDERS}  # noqa: PTH119
    libraries |= {entry for entry in sys.path if entry.endswith((".zip", ".pyz"))}
    libraries |= {os.path.join(sys.base_prefix, "lib")}  # noqa: PTH118 - of a Python outside /usr
    libraries |= {entry for entry in _variable("LD_LIBRARY_PATH") if os.path.isabs(entry)}  # noqa: PTH117
    packages = {name.partition(".")[0] for name in modules} | {"headwater"}
    libraries |= {folder for name in packages for folder in _package_folders(name)}
    return sorted(libraries | set(_SYSTEM))


def _package_folders(name: str) -> list[str]:
    module = sys.modules.get(name)
    return [os.path.abspath(folder) for folder in getattr(module, "__path__", ())]  # noqa: PTH100


def _variable(name: str) -> list[str]:
    return [entry for entry in os.environ.get(name, "").split(os.pathsep) if entry]


def program_folders(program: str) -> tuple[list[str], list[str]]:
    """What another program may read, and what may be started: itself and the loader of its libraries."""
    real = os.path.realpath(program)
    prefix = os.path.dirname(os.path.dirname(real))  # noqa: PTH120
    shared = [os.path.join(prefix, "share", name) for name in ("tesseract-ocr", "tessdata")]  # noqa: PTH118
    readable = [*_SYSTEM, os.path.join(prefix, "lib"), *shared, *_variable("TESSDATA_PREFIX")]  # noqa: PTH118
    loaders = {os.path.realpath(path) for pattern in _LOADERS for path in glob(pattern)}  # noqa: PTH207
    return readable, [real, *sorted(loaders)]
