"""What the OpenAPI document promises holds for calls that a generator makes up: no 5xx, no answer outside its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import response_schema_conformance

from bobctx import keys
