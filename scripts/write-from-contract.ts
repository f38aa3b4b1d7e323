/** All that is made from the contract, which one process reads for all of it; with `--check` it is only compared. */
import './write-openapi.ts'
import './write-errors.ts'
import './write-management.ts'
