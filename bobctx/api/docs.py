"""The `/docs` page: the OpenAPI document as plain HTML, without any script or anything from elsewhere."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any

_STYLE = (
    "body{font:15px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "code{background:#f3f3f3;padding:.1em .3em}summary{cursor:pointer}pre{background:#f3f3f3;padding:1em;overflow:auto}"
)


def _operation(path: str, method: str, spec: Mapping[str, Any]) -> str:
    head = f"<code>{method.upper()} {html.escape(path)}</code> {html.escape(spec.get('summary', ''))}"
    about = html.escape(spec.get("description", ""))
    inside = {k: spec[k] for k in ("parameters", "requestBody", "responses") if k in spec}
    detail = html.escape(json.dumps(inside, indent=1, ensure_ascii=False))
    return f"<details><summary>{head}</summary><p>{about}</p><pre>{detail}</pre></details>"


def page(document: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document."""
    operations = "".join(
        _operation(path, method, spec) for path, item in document["paths"].items() for method, spec in item.items()
    )
    models = "".join(
        f"<details id='{html.escape(name)}'><summary><code>{html.escape(name)}</code></summary>"
        f"<pre>{html.escape(json.dumps(model, indent=1, ensure_ascii=False))}</pre></details>"
        for name, model in sorted(document["components"]["schemas"].items())
    )
    title = html.escape(f"{document['info']['title']} {document['info']['version']}")
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
        f"<h1>{title}</h1><p>{html.escape(document['info'].get('description', ''))}</p>"
        "<p>Send <code>Authorization: Bearer KEY</code>. All of it: <a href=/openapi.json>openapi.json</a>.</p>"
        f"<h2>Calls</h2>{operations}<h2>Models</h2>{models}</html>"
    )
