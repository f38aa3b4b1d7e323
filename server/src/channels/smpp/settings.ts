import { z } from 'zod'
import { hostSetting, pemSetting } from '../setting-bounds.ts'

const typeOfNumber = z.int().min(0).max(255)
const SOURCE = /^(\+?\d{3,20}|[\x20-\x7e]{1,11})$/

export const smppSettings = z.strictObject({
  host: hostSetting,
  port: z.int().min(1).max(65_535).default(2775),
  tls: z.boolean().default(false),
  /** PEM, for a carrier whose certificate no public authority signed. */
  tls_ca: pemSetting.optional(),
  system_id: z.string().min(1).max(15, 'system_id has at most 15 characters'),
  password: z.string().max(64, 'password has at most 64 characters'),
  system_type: z.string().max(12, 'system_type has at most 12 characters').default(''),
  source_addr: z.string().regex(SOURCE, 'source_addr is a number or up to 11 characters'),
  source_ton: typeOfNumber.optional(),
  source_npi: typeOfNumber.optional(),
  /** How many messages may wait for the carrier's answer at once. */
  window: z.int().min(1).max(1_000).default(10),
  enquire_link_s: z.int().min(1).max(600).default(30),
})

export type SmppSettings = z.infer<typeof smppSettings>
