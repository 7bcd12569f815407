"""`python -m headwater.cli`: the same as `headwater`."""

from headwater.cli import main

if __name__ == "__main__":
    main()
