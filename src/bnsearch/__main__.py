"""The command line as `python -m bnsearch`."""

import gc
import sys


def main() -> int:
    """Run the command line, and return its exit status; Ctrl-C during imports gives status 130 as well."""
    gc.set_threshold(50_000)  # fewer collections during imports save a tenth of the start-up time
    try:
        from bnsearch.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130
    finally:
        gc.freeze()  # the process ends: no collection is needed
        # Under `-m`, Python exits by the signal and not with this status if KeyboardInterrupt was raised and handled in
        # code run by `exec`, which many imports use. Another `exec` resets this state.
        exec("")


if __name__ == "__main__":
    sys.exit(main())
