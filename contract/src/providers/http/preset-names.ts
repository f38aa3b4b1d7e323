/** Each preset has a file in `presets/`, and a page in the documents. */
export const presetNames = [
  'africastalking',
  'bird',
  'infobip',
  'messagebird',
  'msg91',
  'plivo',
  'sinch',
  'smsgate',
  'sns',
  'telnyx',
  'vonage',
  'simulator',
] as const
export type PresetName = (typeof presetNames)[number]
