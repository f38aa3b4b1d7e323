/** Writes all files that are made from the contract, in one process; with `--check` they are only compared. */
import './write-openapi.ts'
import './write-errors.ts'
import './write-management.ts'
