"""Many files: processes that survive their files, results that survive a crash, one index."""
