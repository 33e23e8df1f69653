"""Numbers for `/metrics`: one registry of our own; labels are routes, codes and modes, never ids or content."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

LATENCY_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What the daemon counts."""

    def __init__(self) -> None:
        """A fresh registry: two apps in one process do not share numbers."""
        self.registry = CollectorRegistry()
        self._rejected: Counts[str] = Counts()
        self.requests = Counter(
            "bobctx_http_requests",
            "Requests by route and status.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.latency = Histogram(
            "bobctx_http_seconds", "Time to answer.", ("route",), registry=self.registry, buckets=LATENCY_BUCKETS
        )
        self.recorded = Counter(
            "bobctx_messages_recorded", "Messages by outcome.", ("outcome",), registry=self.registry
        )
        self.surrogates = Counter("bobctx_surrogates_replaced", "Lone surrogates as U+FFFD.", registry=self.registry)
        self.assembled = Counter("bobctx_assembled", "Assemblies by mode.", ("mode",), registry=self.registry)
        self.plain_fits = Counter(
            "bobctx_plain_fits", "Assemblies answered by plain fit, by reason.", ("reason",), registry=self.registry
        )
        self.proxied = Counter(
            "bobctx_proxied",
            "Proxied requests by mode, or by why they were passed on as they came.",
            ("wire", "outcome"),
            registry=self.registry,
        )
        self.traces_dropped = Counter(
            "bobctx_traces_dropped",
            "Traces that were not stored: too many waited, or the store failed.",
            registry=self.registry,
        )
        self.assemble_seconds = Histogram(
            "bobctx_assemble_seconds", "Time of one assembly.", registry=self.registry, buckets=LATENCY_BUCKETS
        )
        self.reported_tokens = Counter(
            "bobctx_reported_tokens",
            "Prompt tokens that providers reported through hosts: fresh, cached (read), written (to the cache).",
            ("arm", "kind"),
            registry=self.registry,
        )
        self.reported_requests = Counter(
            "bobctx_reported_requests", "Requests whose usage was reported.", ("arm",), registry=self.registry
        )
        self.chain_breaks = Counter(
            "bobctx_chain_breaks",
            "Assemblies whose trusted chain ended early, by code.",
            ("code",),
            registry=self.registry,
        )
        self.rejections = Counter(
            "bobctx_claims_rejected", "Claims that the validator refused, by code.", ("code",), registry=self.registry
        )
        self.conversations = Gauge(
            "bobctx_conversations", "Conversations by their present mode.", ("mode", "arm"), registry=self.registry
        )
        self.oldest_uncompacted = Gauge(
            "bobctx_oldest_uncompacted_seconds",
            "How long the oldest due and uncompacted work has waited, since this process first saw it.",
            registry=self.registry,
        )
        self.spend_day = Gauge(
            "bobctx_spend_day_usd",
            "Dollars that seats cost in the last 24 hours (day), and the most they may cost (cap).",
            ("kind",),
            registry=self.registry,
        )
        self.originals_read = Counter(
            "bobctx_originals_read", "Messages read back.", ("route",), registry=self.registry
        )
        self.seat_spend = Counter(
            "bobctx_seat_usd",
            "Dollars of seat calls: booked before, settled after, capped where a cap forbade the call.",
            ("event",),
            registry=self.registry,
        )
        self.seat_asks = Counter("bobctx_seat_asks", "Paid seat calls by event.", ("event",), registry=self.registry)
        self.index_lag = Gauge("bobctx_index_lag", "Messages the substring index is behind.", registry=self.registry)
        self.database_bytes = Gauge("bobctx_database_bytes", "Size of the database.", ("file",), registry=self.registry)

    def reported(self, arm: str, *, prompt: int, cached: int, written: int) -> None:
        """Usage of one request, tokens; `prompt` holds the other two."""
        self.reported_requests.labels(arm).inc()
        self.reported_tokens.labels(arm, "cached").inc(cached)
        self.reported_tokens.labels(arm, "written").inc(written)
        self.reported_tokens.labels(arm, "fresh").inc(max(0, prompt - cached - written))

    def rejected_so_far(self, totals: Mapping[str, int]) -> None:
        """Totals by code since the start of the process."""
        for code, total in totals.items():
            self.rejections.labels(code).inc(total - self._rejected[code])
            self._rejected[code] = total

    def spend(self, event: str, usd: float) -> None:
        """One booking, settlement or refusal by a cap."""
        self.seat_spend.labels(event).inc(usd)
        self.seat_asks.labels(event).inc()

    def render(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
