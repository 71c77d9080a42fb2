"""What PyInstaller does not find: the plugin, and wasmtime's library."""

from PyInstaller.utils.hooks import (  # type: ignore[import-untyped]
    collect_data_files,
    collect_dynamic_libs,
)

datas = collect_data_files("automatic_rostering")
binaries = collect_dynamic_libs("wasmtime", search_patterns=["*.so", "*.dylib", "*.dll"])
