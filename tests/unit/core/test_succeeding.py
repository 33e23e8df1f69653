"""A success needs a sign of it where its sources report a failure."""

from __future__ import annotations

import pytest

from bobctx.core import succeeding
from tests.unit.core.claim_cases import case, region, verdict

LOG = "..F....\nFAILED tests/test_resize.py::test_rotation - AssertionError: (640, 480)\n1 failed, 6 passed in 3.21s"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (LOG, "test_rotation in tests/test_resize.py succeeded."),
        (LOG, "test_rotation passed while 6 passed in 3.21s."),
        ("ERROR sign: HsmSessionTimeout on slot 4 (attempt 2/2)", "Signing succeeded on slot 4 at attempt 2/2."),
        ("dag=churn run=7 state=failed task=dedupe try=2", "The dedupe task of churn succeeded."),
        ("lint ok\nota_signature_test: FAIL (key id 0x3A)", "ota_signature_test passed with key id 0x3A."),
    ],
)
def test_a_success_of_what_failed_is_refused(source: str, claim: str) -> None:
    refusal = succeeding.check(case(region(("tool", source)), claim, type="failure"))
    assert refusal is not None
    assert refusal.code == "antonym"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (LOG, "6 tests passed."),
        (LOG, "In tests/test_resize.py 6 tests passed and 1 failed."),
        ("lint ok\ne2e: FAIL (timeout)", "The lint step passed."),
        ("retry 1: ERROR timeout\nretry 2: done", "The second retry succeeded."),
        ("0 errors, build succeeded", "The build succeeded."),
        ("ERROR: disk full", "The backup did not succeed."),
    ],
)
def test_a_reported_success_passes(source: str, claim: str) -> None:
    """Fails if the success of another line or a second try is not seen, or a denied success is read as one."""
    assert succeeding.check(case(region(("tool", source)), claim, type="fact")) is None


def test_prose_that_speaks_of_errors_reports_no_failure() -> None:
    of = region("Use the error page for failed payments.")
    assert succeeding.check(case(of, "The payment page works.", type="fact")) is None


@pytest.mark.parametrize(
    "line",
    [
        "upload images: 0 failing",
        "upload images failed=0",
        "upload images, error: none",
        "upload images without failure",
        "ERROR timeout on upload images\nHTTP 201 Created",
        "ERROR timeout\nupload der images abgeschlossen",
        "upload images 200\nERROR mail server refused",
    ],
)
def test_a_count_of_no_failures_or_the_failure_of_something_else_is_none(line: str) -> None:
    assert verdict(region(("tool", line)), "The upload of the images succeeded.") != "antonym"
