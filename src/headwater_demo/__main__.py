"""`python -m headwater_demo`: serve the demo internet until SIGTERM or Ctrl-C."""

import argparse
import asyncio
import json
import signal
import sys
from datetime import datetime

from headwater_demo.clock import START
from headwater_demo.server import serving
from headwater_demo.world import create_world


def main() -> None:
    parser = argparse.ArgumentParser(prog="headwater_demo", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument(
        "--start", type=datetime.fromisoformat, default=START, help="what the demo clock shows first"
    )
    asyncio.run(_serve(parser.parse_args()))


async def _serve(options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    world = create_world(seed=options.seed, size=options.size, start=options.start)
    async with serving(world, port=options.port) as (base_url, hosts):
        sys.stdout.write(json.dumps({"base_url": base_url, "hosts": hosts}) + "\n")
        sys.stdout.flush()
        await stop.wait()


if __name__ == "__main__":
    main()
