import type { Preset } from '../preset.ts'

/** The flow API, whose text is a template at MSG91. https://docs.msg91.com/sms/send-sms */
export const msg91: Preset = {
  label: 'MSG91',
  asks: { secret: 'Authkey', account: 'Template ID' },
  settings: {
    base_url: 'https://control.msg91.com',
    path: '/api/v5/flow',
    auth: 'header',
    auth_name: 'authkey',
    body: '{"template_id": "{account}", "recipients": [{"mobiles": "{to_digits}", "code": "{code}"}]}',
    message_id_at: ['/message'],
    code_at: ['/apiError', '/code', '/type'],
    // Problems of the account itself: its key, its address, its balance, its status.
    codes: {
      success: 'accepted',
      106: 'broken',
      201: 'broken',
      202: 'unreachable',
      207: 'broken',
      208: 'broken',
      301: 'broken',
      302: 'broken',
      303: 'broken',
      401: 'broken',
      418: 'broken',
      505: 'broken',
    },
    // An error comes with any HTTP status, and not every error has a code.
    texts: {
      '*"type":"error"*': 'refused',
      '*"type": "error"*': 'refused',
      '*"message":"*authentication*failure*': 'broken',
      '*"message":"*invalid*authkey*': 'broken',
      '*"message":"*not*whitelisted*': 'broken',
    },
    error_at: ['/message'],
    receipts: 'path',
    receipt_id_at: ['/requestId'],
    receipt_state_at: ['/status'],
    receipt_states: { 1: 'delivered', 2: 'failed', 9: 'failed', 16: 'failed', 17: 'failed', 25: 'failed' },
    receipt_error_at: ['/desc'],
  },
}
