"""`python -m headwater.cli`: the same as `headwater`."""

from headwater.cli.program import main

if __name__ == "__main__":
    main()
