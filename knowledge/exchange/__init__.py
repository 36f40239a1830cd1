"""Pages as files: a zip of a space, and trees, zips and vaults of markdown brought in."""
