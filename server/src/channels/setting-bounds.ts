/** What settings of every kind may be as long as. Tokens of some providers have hundreds of characters. */
import { z } from 'zod'

export const MAX_HOST_LENGTH = 253
export const MAX_SECRET_LENGTH = 4_096
const MAX_PEM_LENGTH = 32_768

export const hostSetting = z.string().min(1).max(MAX_HOST_LENGTH)
export const secretSetting = z.string().min(1).max(MAX_SECRET_LENGTH)
/** Certificates and keys as text; a file of several authorities is long. */
export const pemSetting = z.string().min(1).max(MAX_PEM_LENGTH)
