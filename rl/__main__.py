from commons.stage import main
from rl.stage import STAGE

raise SystemExit(main(STAGE))
