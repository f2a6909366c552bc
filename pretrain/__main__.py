"""`python -m pretrain`."""

from commons.stage import main
from pretrain.stage import STAGE

raise SystemExit(main(STAGE))
