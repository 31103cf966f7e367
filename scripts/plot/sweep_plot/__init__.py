"""The parts of plot.py: stored.py reads HDF5, results.py knows what sweep's files hold, options.py what the user asks
for, look.py colours, labels and legends; the others draw one kind of picture each."""
