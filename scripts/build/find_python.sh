#!/bin/sh
# Print the path of the Python that can read the output files: $SWEEP_PYTHON, the system's, or the one on the PATH.
# Nothing if none can.
for python in "$SWEEP_PYTHON" /usr/bin/python3 python3; do
    [ -n "$python" ] && "$python" -c 'import h5py, numpy' 2>/dev/null && { command -v "$python"; exit 0; }
done
exit 0
