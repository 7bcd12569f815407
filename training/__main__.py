"""Unpack the labelled pages, compute their rows, train and export: `python -m training --data DIR`."""

import tarfile
import tempfile
from pathlib import Path

from training.dataset import write_rows
from training.train import defaults, train_all

SETS = ("aeb", "wcxb-dev", "traf-eval", "readability")
HERE = Path(__file__).parent


def main() -> None:
    parser = defaults()
    parser.add_argument("--data", type=Path, required=True, help="folder that holds extract/*.tar.xz")
    parser.add_argument("--out", type=Path, default=HERE, help="where model.npz and folds/ are written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for archive in SETS:
            with tarfile.open(options.data / "extract" / f"{archive}.tar.xz") as packed:
                packed.extractall(folder, filter="data")
        write_rows(folder, folder / "rows")
        train_all(folder / "rows", options.out, options)


if __name__ == "__main__":
    main()
