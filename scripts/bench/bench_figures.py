"""What pictures of measurements share: matplotlib without a screen, in the style of sweep plot, and files beside the
CSV files. To import where matplotlib or what it needs may be missing: it says so, and ends the program with 4."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plot"))
try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from sweep_plot.look import STYLE
except ImportError as error:
    print(f"error: {error}; install python3-matplotlib and python3-h5py (Debian, Ubuntu)", file=sys.stderr)
    sys.exit(4)

plt.rcParams.update(STYLE)

GREY = "#777777"


def save(figure, folder, name, origin):
    """As FOLDER/NAME.png, with where its numbers come from in a corner; prints the name."""
    figure.supxlabel(origin, x=0.995, ha="right", fontsize=6.5, color="#888888")
    path = os.path.join(folder, f"{name}.png")
    figure.savefig(path)
    plt.close(figure)
    print(path)
