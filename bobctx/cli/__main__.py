"""`python -m bobctx.cli`."""

from bobctx.cli import main

if __name__ == "__main__":
    main()
