/** What settings of a provider account must meet whatever its kind. */
import type { AnyKind } from '../../channels/index.ts'
import { validationError } from '../answers/index.ts'

export type Settings = Readonly<Record<string, unknown>>

/** PostgreSQL cannot store a NUL, and no provider wants one. */
export function assertStorable(settings: Settings): void {
  const hasNul = (value: unknown): boolean =>
    typeof value === 'string'
      ? value.includes('\0')
      : typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasNul)
  const wrong = Object.entries(settings).filter(([, value]) => hasNul(value))
  if (wrong.length === 0) return
  throw validationError(
    wrong.map(([name]) => ({ path: `settings.${name}`, message: 'must not contain a NUL' })),
  )
}

/** Stored credentials were given for one destination: whoever changes it must know them. */
export function assertCredentialsGiven(
  kind: AnyKind,
  stored: Settings,
  next: Settings,
  given: Settings,
): void {
  const { settings, credentials } = kind.destination
  const [before, after] = [kind.settings.safeParse(stored), kind.settings.safeParse(next)]
  // Settings that are not valid are refused later, where they are written.
  if (!after.success) return
  const changed = settings.filter((name) => !before.success || before.data[name] !== after.data[name])
  const kept = credentials.filter((name) => after.data[name] !== undefined && given[name] === undefined)
  if (changed.length === 0 || kept.length === 0) return
  const message = `must be given again, because ${changed.join(' and ')} changes: a stored credential goes only where it was given for`
  throw validationError(kept.map((name) => ({ path: `settings.${name}`, message })))
}
