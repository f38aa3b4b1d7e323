/** Who calls. A key that is unknown, revoked or of the wrong kind gets one answer. */
import { timingSafeEqual } from 'node:crypto'
import { type Access, AppError } from '@countersign/contract'
import type { Directory, Principal } from '../domain/tenancy/index.ts'
import { sha256 } from '../platform/keyring.ts'

/** Null for the operator. */
export type Authenticate = (access: Access, authorization: string | undefined) => Promise<Principal | null>

export function createAuthenticate(directory: Directory, adminToken: string): Authenticate {
  const adminHash = sha256(adminToken)
  return async (access, authorization) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (!token) throw unauthorized('Send a key as "Authorization: Bearer <key>".')
    if (access !== 'key' && access !== 'server_key') {
      if (timingSafeEqual(sha256(token), adminHash)) return null
      throw unauthorized('The operator’s token is needed here.')
    }
    const principal = await directory.findPrincipal(token)
    if (!principal || (access === 'server_key' && principal.kind !== 'server')) {
      throw unauthorized('This key is not valid here.')
    }
    return principal
  }
}

const unauthorized = (message: string) => new AppError('Unauthorized', message)
