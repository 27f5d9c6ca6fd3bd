"""The packages of earlier commits of this repository: built from their own source, once, and kept in the
cache folder under the name of the commit.
"""

import os
import tempfile

import packages
import trees

GIT = ["git", "-C", packages.SOURCE, "-c", f"safe.directory={packages.SOURCE}"]


def packages_of(commit):
    """A folder with the packages of a commit, except for the laboratory's."""
    kept = f"{trees.cache_folder()}/earlier-{commit}"
    if not os.path.isdir(kept):
        source = exported(commit)
        try:
            build(source, kept, commit)
        finally:
            trees.remove(source)
    return packages.copied(kept)


def exported(commit):
    """The source of a commit in a folder of its own. An archive of the source has no history."""
    os.makedirs(trees.cache_folder(), exist_ok=True)
    folder = tempfile.mkdtemp(prefix="build-source-", dir=trees.cache_folder())
    os.chmod(folder, 0o755)
    try:
        trees.run(*GIT, "archive", "--output", f"{folder}.tar", commit)
        trees.run("tar", "-C", folder, "-xf", f"{folder}.tar")
    except trees.Unavailable as problem:
        trees.remove(folder)
        raise trees.Absent(f"commit {commit} is not in this repository's history") from problem
    finally:
        trees.remove(f"{folder}.tar")
    return folder


def build(source, kept, commit):
    print(f"    building the packages of {commit}, once", flush=True)
    packages.fetch_crates(source)
    workshop = packages.Workshop(source=source)
    try:
        os.makedirs(f"{workshop.scratch}/tmp")
        workshop.run(
            "nice",
            "/source/packaging/build-deb.sh",
            "/scratch/out",
            TMPDIR="/scratch/tmp",
            DEB_BUILD_OPTIONS="nocheck noautodbgsym",
            DEB_BUILD_PROFILES="pkg.nearmiss.nolab",
        )
        packages.keep(workshop, ["out"], f"{kept}.new-folder")
        os.rename(f"{kept}.new-folder/out", kept)
        trees.remove(f"{kept}.new-folder")
    finally:
        workshop.close()
