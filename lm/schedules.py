"""Learning rate as a pure function of the step; steps count from 0."""


def multi_step(
    step: int,
    *,
    peak: float,
    total_steps: int,
    warmup_steps: int = 2_000,
    drops: tuple[float, float] = (0.8, 0.9),
) -> float:
    """Section 2.2: linear warm-up to `peak`, then 31.6% of it after 80% of training and 10% after 90% (`drops`)."""
    if step < warmup_steps:
        return peak * (step + 1) / warmup_steps
    progress = step / total_steps
    return peak * (1.0 if progress < drops[0] else 0.316 if progress < drops[1] else 0.1)


def constant(step: int, *, peak: float, warmup_steps: int = 0) -> float:
    """Section 3.2: `peak` throughout, after a linear warm-up where one is asked for."""
    return peak * (step + 1) / warmup_steps if step < warmup_steps else peak
