"""The parts of plot.py: options.py knows what the user asks for, look.py colours, labels and legends; the others draw
one kind of picture each. What they draw comes from the package pysweep, which alone reads files."""
