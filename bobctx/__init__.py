"""bobctx keeps long LLM conversations usable: claims that plain code has checked, with citations."""

__version__ = "0.1.0"
