import { Counter, Gauge, type Registry } from 'prom-client'
import type { SeenHost } from './primary.ts'
import { type DatabaseProblem, databaseProblems } from './problems.ts'

export interface DatabaseMetrics {
  readonly countDatabaseError: (problem: DatabaseProblem) => void
  readonly setDatabaseProblems: (problems: readonly DatabaseProblem[]) => void
  readonly watchReading: (lagSeconds: () => number | null) => void
  readonly watchDatabaseHosts: (read: () => readonly SeenHost[]) => void
}

export function databaseMetrics(registry: Registry): DatabaseMetrics {
  const errors = new Counter({
    name: 'countersign_database_errors_total',
    help: 'Statements and connections that ended because something is wrong with the database, by what it is.',
    labelNames: ['problem'],
    registers: [registry],
  })
  const problem = new Gauge({
    name: 'countersign_database_problem',
    help: '1 while this is wrong with the database.',
    labelNames: ['problem'],
    aggregator: 'max',
    registers: [registry],
  })
  const setDatabaseProblems = (problems: readonly DatabaseProblem[]) => {
    for (const each of databaseProblems) problem.set({ problem: each }, problems.includes(each) ? 1 : 0)
  }
  setDatabaseProblems([])
  return {
    countDatabaseError: (each) => errors.inc({ problem: each }),
    setDatabaseProblems,
    watchReading: (lagSeconds) => {
      new Gauge({
        name: 'countersign_read_database_lag_seconds',
        help: 'How far the standby of DATABASE_READ_URL is behind the primary; no value where it cannot be reached.',
        aggregator: 'max',
        registers: [registry],
        collect() {
          const seconds = lagSeconds()
          // Not `reset`, which sets a metric without labels to 0.
          if (seconds === null) this.remove()
          else this.set(seconds)
        },
      })
    },
    watchDatabaseHosts: (read) => {
      new Gauge({
        name: 'countersign_database_host',
        help: '1 for the state in which a host of the database is seen, where DATABASE_URL names several.',
        labelNames: ['host', 'state'],
        aggregator: 'max',
        registers: [registry],
        collect() {
          this.reset()
          for (const { host, state } of read()) this.set({ host, state }, 1)
        },
      })
    },
  }
}
