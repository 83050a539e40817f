"""The command line ``urdf_ik``, also as ``python -m urdfik``."""

import signal
import sys

from urdfik._urdfik import run_command


def main() -> None:
    # Python's own handler would act only after the command is done. Under nohup interrupts stay ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run_command(["urdf_ik", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
