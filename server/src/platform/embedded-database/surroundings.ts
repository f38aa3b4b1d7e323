import type { SystemUser } from './system-user.ts'

/**
 * Another user may not be allowed to enter the folders above the data, such as /root. Linux enters the working
 * directory before it changes the user, so /proc/self/cwd leads there without passing through the parents.
 */
export function pathSeenByPostgres(dir: string, user: SystemUser | undefined): string {
  return user && process.platform === 'linux' ? '/proc/self/cwd' : dir
}

/** The whole environment of PostgreSQL: PG* variables and locales of whoever starts the service must not affect it. */
export const postgresEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
