"""Trained networks as the arrays that `headwater.extract.html.classifier.network` computes with."""

from pathlib import Path

import numpy as np
import torch

from training.network import BlockNetwork, Member
from training.rows import Rows


def export(jury: list[tuple[Member, BlockNetwork]], rows: Rows, out: Path) -> None:
    """The small file that the package ships; a member's arrays carry its number."""
    arrays = {}
    for number, (member, model) in enumerate(jury):
        for name, array in plain_arrays(member, model.state_dict(), rows).items():
            arrays[f"{number}.{name}"] = array
    np.savez_compressed(out, **arrays)


def plain_arrays(member: Member, state: dict[str, torch.Tensor], rows: Rows) -> dict[str, np.ndarray]:
    """Inputs unscaled, layers in half precision, the style as an input of its own."""
    tensors = {name: tensor.double().cpu().numpy() for name, tensor in state.items()}
    low, high = rows.low.astype(np.float64), rows.high.astype(np.float64)
    scale = 1 / (high - low) / rows.spread
    shift = -low * scale - rows.mean / rows.spread
    enter = tensors["enter.weight"].T
    arrays = {
        "low": low.astype(np.float32),
        "high": high.astype(np.float32),
        "enter": (enter[:-1] * scale[:, None]).astype(np.float32),
        "enter_bias": (tensors["enter.bias"] + shift @ enter[:-1]).astype(np.float32),
        "style": enter[-1].astype(np.float32),
        "steps": np.array(member.steps),
        "leave": tensors["leave.weight"][0].astype(np.float32),
        "leave_bias": tensors["leave.bias"][0].astype(np.float32),
    }
    for number in range(len(member.steps)):
        arrays[f"layer{number}"] = tensors[f"mix.{number}.weight"].T.astype(np.float16)
        arrays[f"layer{number}_bias"] = tensors[f"mix.{number}.bias"].astype(np.float32)
    return arrays
