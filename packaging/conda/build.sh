#!/bin/sh
# Of the instructions only those that every x86-64 has: the program picks its vector rows when it starts. CPPFLAGS and
# LDFLAGS go by the environment, where the Makefile adds its own.
set -e
export CPPFLAGS="$CPPFLAGS -I$PREFIX/include" LDFLAGS="$LDFLAGS -L$PREFIX/lib -Wl,-rpath,$PREFIX/lib"
make -j"${CPU_COUNT:-2}" B=build/conda CC="${CC:-gcc}" CUDA= MPI= NCCL= OPT='-O3 -g1 -march=x86-64' \
    HDF5_CFLAGS= HDF5_LDFLAGS= PACKAGE="$PKG_NAME $PKG_VERSION (conda)" build/conda/sweep
scripts/build/install.sh "$PREFIX" build/conda/sweep
sed -i '1s,^#!/usr/bin/python3,#!/usr/bin/env python3,' "$PREFIX/share/sweep/plot.py"
