"""`python -m pretrain`, and `python -m pretrain --estimate`."""

import sys

from commons.stage import main
from pretrain.estimate import main as estimate
from pretrain.stage import STAGE

raise SystemExit(estimate(sys.argv[1:]) if "--estimate" in sys.argv else main(STAGE))
