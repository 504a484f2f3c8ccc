# A Spack recipe: in a repository of yours (spack repo create) as packages/openblacs/package.py.
# There is no release to download, so it builds a source tree:
# spack dev-build --source-path TREE openblacs@0.2.0
from spack.package import *


class Openblacs(CMakePackage):
    """The BLACS and their family: matrices communicated on process grids, with any MPI or none."""

    manual_download = True
    url = "file:///openblacs-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0")

    variant("fortran", default=True, description="Build the Fortran modules")
    variant("lu", default=True, description="Build the LU in supersteps")
    variant("mpi", default=True, description="Build the module for the MPI")
    variant("python", default=False, description="Install the Python package")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.16:", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("openblas", when="+lu")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy@1.22:", type=("build", "run"), when="+python")

    def cmake_args(self):
        args = [
            self.define("OPENBLACS_TESTS", False),
            self.define("OPENBLACS_BENCH", False),
            self.define("OPENBLACS_EXAMPLES", False),
            self.define_from_variant("OPENBLACS_FORTRAN", "fortran"),
            self.define("OPENBLACS_MPI", self.spec.satisfies("+mpi")),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("OPENBLACS_MPICC", self.spec["mpi"].mpicc))
        if self.spec.satisfies("+python"):
            args.append(self.define("OPENBLACS_PYTHON_DIR", python_platlib))
        else:
            args.append(self.define("OPENBLACS_PYTHON_DIR", False))
        return args
