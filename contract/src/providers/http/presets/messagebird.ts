import type { Preset } from '../preset.ts'

/** The SMS API of MessageBird's connectivity platform. https://developers.messagebird.com/api/sms-messaging */
export const messagebird: Preset = {
  label: 'MessageBird',
  asks: { secret: 'Access key', from: 'Originator' },
  settings: {
    base_url: 'https://rest.messagebird.com',
    path: '/messages',
    auth: 'header',
    auth_name: 'Authorization',
    auth_prefix: 'AccessKey ',
    body: '{"originator": "{from}", "recipients": ["{to_digits}"], "body": "{text}", "reference": "{delivery_id}", "validity": {ttl_s}, "datacoding": "{unicode}"}',
    when_unicode: 'unicode',
    when_plain: 'plain',
    message_id_at: ['/id'],
    code_at: ['/errors/0/code'],
    codes: { 2: 'broken', 25: 'broken' },
    error_at: ['/errors/0/description'],
    // Its status reports come by GET, and a GET changes nothing here.
    receipts: 'none',
  },
}
