/** Every command but `start`. */
import { auditCommand } from './audit.ts'
import { callCommands } from './calls.ts'
import { canaryCommand } from './canary.ts'
import type { Commands } from './command.ts'
import { doctorCommand } from './doctor.ts'
import { peopleCommands } from './people.ts'
import { tenantCommands } from './tenants.ts'
import { upkeepCommands } from './upkeep.ts'

export const commandsWith = (migrationsFolder: string): Commands => ({
  ...upkeepCommands(migrationsFolder),
  doctor: doctorCommand(migrationsFolder),
  canary: canaryCommand,
  ...callCommands,
  ...tenantCommands,
  ...peopleCommands,
  audit: auditCommand,
})
