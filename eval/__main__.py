"""`python -m eval`."""

from commons.stage import main
from eval.stage import STAGE

raise SystemExit(main(STAGE))
