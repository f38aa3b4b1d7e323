import type { Preset } from './preset.ts'
import type { PresetName } from './preset-names.ts'
import { africastalking } from './presets/africastalking.ts'
import { bird } from './presets/bird.ts'
import { infobip } from './presets/infobip.ts'
import { messagebird } from './presets/messagebird.ts'
import { msg91 } from './presets/msg91.ts'
import { plivo } from './presets/plivo.ts'
import { simulator } from './presets/simulator.ts'
import { sinch } from './presets/sinch.ts'
import { smsgate } from './presets/smsgate.ts'
import { sns } from './presets/sns.ts'
import { telnyx } from './presets/telnyx.ts'
import { vonage } from './presets/vonage.ts'

export const presets: Readonly<Record<PresetName, Preset>> = {
  africastalking,
  bird,
  infobip,
  messagebird,
  msg91,
  plivo,
  sinch,
  smsgate,
  sns,
  telnyx,
  vonage,
  simulator,
}
