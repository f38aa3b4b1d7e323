import type { Preset } from './preset.ts'
import type { PresetName } from './preset-names.ts'
import { vonage } from './presets/vonage.ts'

export const presets: Readonly<Record<PresetName, Preset>> = { vonage }
