"""Plays a transcript turn by turn through the real pipeline, offline: what each prompt would hold and cost.

`play` is the engine; the command line and the evals read its `Result`.
"""

from bobctx.replay.figures import DEFAULT_PRICE, Price, Result, Total, TurnFigures
from bobctx.replay.session import ARMS, Options, play

__all__ = ["ARMS", "DEFAULT_PRICE", "Options", "Price", "Result", "Total", "TurnFigures", "play"]
