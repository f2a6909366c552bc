"""`python -m sft`."""

from commons.stage import main
from sft.stage import STAGE

raise SystemExit(main(STAGE))
