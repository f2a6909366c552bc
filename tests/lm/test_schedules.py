import pytest

from lm.schedules import constant, multi_step


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        (0, 0.1),  # first of 4 warm-up steps: a quarter of 0.4
        (3, 0.4),
        (4, 0.4),
        (79, 0.4),
        (80, 0.1264),  # 31.6% of the peak from 80% of 100 steps on
        (89, 0.1264),
        (90, 0.04),  # 10% from 90% on
        (99, 0.04),
    ],
)
def test_the_multi_step_rate_has_the_papers_three_levels(step, rate):
    assert multi_step(step, peak=0.4, total_steps=100, warmup_steps=4) == pytest.approx(rate, rel=1e-12)


def test_the_constant_rate_is_the_peak_after_its_warm_up():
    assert [constant(step, peak=2.0, warmup_steps=4) for step in range(6)] == [0.5, 1.0, 1.5, 2.0, 2.0, 2.0]
    assert constant(0, peak=2.0) == 2.0


def test_the_multi_step_rate_falls_where_it_is_told():
    rates = [multi_step(step, peak=1.0, total_steps=10, warmup_steps=0, drops=(0.5, 0.7)) for step in range(10)]
    assert rates == [1.0] * 5 + [0.316] * 2 + [0.1] * 3
