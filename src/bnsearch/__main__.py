"""`python -m bnsearch` is the command line."""

import gc
import sys


def main() -> int:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    gc.set_threshold(50_000)  # modules are no garbage: to look for some while they load takes a tenth of the start
    try:
        from bnsearch.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130
    finally:
        gc.freeze()  # all of it goes with the process
        # Under `-m`, Python ends with the signal, not with our status, if Ctrl-C came within code made by `exec` (many
        # imports make some) and was dealt with. The next `exec` makes it forget.
        exec("")


if __name__ == "__main__":
    sys.exit(main())
