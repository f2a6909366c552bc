from commons.stage import main
from corpus.stage import STAGE

raise SystemExit(main(STAGE))
