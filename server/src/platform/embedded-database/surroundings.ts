import type { SystemUser } from './system-user.ts'

/**
 * Another user may lack the right to enter the folders above the data, e.g. /root.
 * Linux enters the working directory before it changes the user, and /proc/self/cwd then leads there without a
 * walk through the parents.
 */
export function pathSeenByPostgres(dir: string, user: SystemUser | undefined): string {
  return user && process.platform === 'linux' ? '/proc/self/cwd' : dir
}

/** All that PostgreSQL gets to see: PG* variables and locales of whoever starts us must not change it. */
export const POSTGRES_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
