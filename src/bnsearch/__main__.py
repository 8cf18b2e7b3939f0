"""`python -m bnsearch` is the command line."""

import gc
import sys


def main() -> int:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    gc.set_threshold(50_000)  # modules are no garbage: to look for some while they load takes a tenth of the start
    try:
        from bnsearch.cli.main import main as run
    except KeyboardInterrupt:
        return 130
    status = run()
    gc.freeze()  # all of it goes with the process
    return status


if __name__ == "__main__":
    sys.exit(main())
