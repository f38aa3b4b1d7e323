import type { Place } from '../place.ts'

/** The props of the palette's content, both while its commands are being loaded and afterwards. */
export interface PaletteContent {
  readonly place: Place
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
  readonly onShortcuts: () => void
}

export const palettePlaceholder = 'Go to a page, do something, or paste an id, a number or an address'
export const paletteInput =
  'h-12 w-full border-b bg-transparent px-4 text-base outline-none placeholder:text-faint pointer-coarse:text-[16px]'
