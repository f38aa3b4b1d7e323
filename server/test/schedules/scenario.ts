/** What a schedule plays: nodes, what people do meanwhile, and what must hold in the end. */
import type { Stage } from './stage.ts'
import type { Wires } from './wire.ts'
import type { Actor, World } from './world.ts'

export interface Play {
  readonly nodes: () => readonly Actor[]
  /** Starts a new node in place of a dead one. */
  readonly replace: () => Promise<void>
  readonly isOver: () => Promise<boolean>
  readonly check: () => Promise<void>
  /** What people do during the storm, and when it is over. */
  readonly act?: () => Promise<void>
  readonly settle?: () => Promise<void>
}

export type Scenario = (world: World, wires: Wires, stage: Stage) => Promise<Play>
