/** Each has a file of its own in `presets/`, and a page in the documents. */
export const presetNames = ['vonage'] as const
export type PresetName = (typeof presetNames)[number]
