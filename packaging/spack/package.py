from spack.package import *


class Sweep(MakefilePackage):
    """Parameter sweeps of partial differential equations, batched, on a GPU or on the CPU."""

    license("Apache-2.0")
    version("main", branch="main")
    version("1.0.0", tag="v1.0.0")

    variant("mpi", default=False, description="one sweep over several nodes")
    variant("cuda", default=False, description="kernels for GPUs")
    variant("cuda_arch", default="80,90", values=str, when="+cuda", description="their architectures")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5+hl~mpi")
    depends_on("libconfig")
    depends_on("nettle")
    depends_on("xxhash")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.3:", when="+cuda")
    depends_on("python", type="run")
    depends_on("py-h5py", type="run")
    depends_on("py-matplotlib", type="run")

    def settings(self):
        """What make is told: for the processor that Spack compiles for, which may be another than this one."""
        spec = self.spec
        yield "B=build/spack"
        yield f"OPT=-O3 -g1 {spec.architecture.target.optimization_flags(self.compiler)}"
        yield f"PACKAGE={spec.name} {spec.version} (Spack)"
        yield f"HDF5_CFLAGS=-I{spec['hdf5'].prefix.include}"
        yield f"HDF5_LDFLAGS={spec['hdf5:hl'].libs.search_flags}"
        yield "MPI=1" if "+mpi" in spec else "MPI="
        yield "CUDA=1" if "+cuda" in spec else "CUDA="
        if "+cuda" in spec:
            yield f"NVCC={spec['cuda'].prefix.bin.nvcc}"
            yield "SM=" + str(spec.variants["cuda_arch"].value).replace(",", " ")

    def build(self, spec, prefix):
        make(*self.settings(), "build/spack/sweep")

    def install(self, spec, prefix):
        Executable("scripts/build/install.sh")(prefix, "build/spack/sweep")
        filter_file(r"^#!/usr/bin/python3", "#!/usr/bin/env python3", prefix.share.sweep.join("plot.py"))
