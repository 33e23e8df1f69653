"""`python -m bobctx.cli`."""

from bobctx.cli.frame import main

if __name__ == "__main__":
    main()
