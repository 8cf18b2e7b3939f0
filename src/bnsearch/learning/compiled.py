"""The state of the cache of compiled kernels; nothing is compiled."""

from __future__ import annotations

from pathlib import Path


def list_cache_folders() -> list[Path]:
    """
    Return the folders with compiled kernels, one for each folder of the library that has kernels.

    The folders are beside the sources, or, with other names, in a folder of the user.
    """
    from bnsearch.kernels.bits import count_ones
    from bnsearch.kernels.cache import describe_cache
    from bnsearch.kernels.compile import list_kernel_files

    folder, _ = describe_cache()
    if folder is None:
        return []
    sources = {path.parent: path for path in list_kernel_files()}
    if folder.name == "__pycache__":
        return [source / "__pycache__" for source in sources]
    try:
        name = count_ones._cache._impl.locator.get_suitable_cache_subpath
        return [folder.parent / name(str(path)) for path in sources.values()]
    except AttributeError:  # another version of Numba does not tell the names
        return [folder]


def list_compiled_groups() -> list[str]:
    """Return the groups of kernels of which at least one variant is compiled for the current sources and processor."""
    from bnsearch.kernels.cache import describe_cache

    folder, digest = describe_cache()
    if folder is None:
        return []
    return sorted({path.name.partition("-")[0] for path in folder.glob(f"*-{digest[:24]}.compiled")})
