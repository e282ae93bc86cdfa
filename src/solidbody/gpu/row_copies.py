"""Copies one row into the rows of chosen worlds, on the device."""
# pyright: reportInvalidTypeForm=false, reportAssignmentType=false, reportGeneralTypeIssues=false

from __future__ import annotations

from typing import Any

import warp as wp


@wp.kernel(enable_backward=False)
def _take_rows(
    mask: wp.array(dtype=wp.bool), source: wp.array2d(dtype=Any), to: wp.array2d(dtype=Any)
):
    world, column = wp.tid()
    if mask[world]:
        to[world, column] = source[wp.min(world, source.shape[0] - 1), column]


def take_row(mask: Any, row: Any, to: Any) -> None:
    """Let the rows of `to` where `mask` is true be `row`: an array of one row, or of one for each."""
    wp.launch(_take_rows, dim=to.shape, inputs=[mask, row], outputs=[to], device=to.device)
