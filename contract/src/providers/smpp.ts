import { z } from 'zod'
import { authority, host, port, setting } from './setting.ts'

const SOURCE = /^(\+?\d{3,20}|[\x20-\x7e]{1,11})$/
const typeOfNumber = z.int().min(0).max(255)

export const smppSettings = z.strictObject({
  host: host('smpp.carrier.example'),
  port: port(2775),
  system_id: setting(z.string().min(1).max(15, 'must have at most 15 characters'), {
    title: 'System ID',
    description: 'Up to 15 characters.',
  }),
  password: setting(z.string().max(64, 'must have at most 64 characters'), {
    title: 'Password',
    writeOnly: true,
    'x-destination': 'credential',
  }),
  source_addr: setting(z.string().regex(SOURCE, 'must be a number or up to 11 characters'), {
    title: 'Sender',
    description: 'A number of 3 to 20 digits, or up to 11 characters.',
    examples: ['Shop'],
  }),
  tls: setting(z.boolean(), {
    title: 'TLS',
    description: 'Implicit TLS, from the first byte.',
    'x-destination': 'place',
  }).default(false),
  system_type: setting(z.string().max(12, 'must have at most 12 characters'), {
    title: 'System type',
    description: 'Up to 12 characters.',
    'x-rare': true,
  }).default(''),
  window: setting(z.int().min(1).max(1_000), {
    title: 'Window',
    description: 'Messages that may wait for the carrier’s answer at once.',
    'x-rare': true,
  }).default(10),
  enquire_link_s: setting(z.int().min(1).max(600), {
    title: 'Keep-alive interval in seconds',
    'x-rare': true,
  }).default(30),
  source_ton: setting(typeOfNumber, {
    title: 'Type of number',
    description: 'If empty, it is taken from the sender.',
    'x-rare': true,
  }).optional(),
  source_npi: setting(typeOfNumber, {
    title: 'Numbering plan',
    description: 'If empty, it is taken from the sender.',
    'x-rare': true,
  }).optional(),
  tls_ca: authority,
})

export type SmppSettings = z.infer<typeof smppSettings>
