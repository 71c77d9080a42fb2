"""Tells PyInstaller which files a program needs."""


def hook_dirs() -> list[str]:
    """Return where PyInstaller finds the hook."""
    return list(__path__)
