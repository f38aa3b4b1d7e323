import { Content, Overlay, Portal, Root, Title } from 'radix-ui/dialog'
import { useState } from 'react'
import { lazyPart } from '#components/ui/lazy-part.tsx'
import { giveFocusBack, overlayClass } from '#components/ui/panel.ts'
import { type PaletteContent, paletteInput, palettePlaceholder } from './palette-input.ts'

/** Takes what is typed while the commands are being loaded. */
const WaitingInput = ({ text, onText }: PaletteContent) => (
  <input
    // biome-ignore lint/a11y/noAutofocus: the palette was opened to be typed in
    autoFocus
    aria-label="Commands"
    autoComplete="off"
    spellCheck={false}
    placeholder={palettePlaceholder}
    value={text}
    onChange={({ target }) => onText(target.value)}
    className={paletteInput}
  />
)

const PaletteCommands = lazyPart(
  () => import('./palette-commands.tsx'),
  (module) => module.PaletteCommands,
  WaitingInput,
)

type CommandPaletteProps = Pick<PaletteContent, 'place' | 'onClose' | 'onShortcuts'>

export function CommandPalette(props: CommandPaletteProps) {
  const [text, setText] = useState('')
  const [opener] = useState(() => document.activeElement)
  return (
    <Root open onOpenChange={props.onClose}>
      <Portal>
        <Overlay className={overlayClass} />
        <Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => giveFocusBack(event, opener)}
          className="fixed inset-x-3 top-[8vh] z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-lg border bg-surface shadow-pop"
        >
          <Title className="sr-only">Commands</Title>
          <PaletteCommands {...props} text={text} onText={setText} />
        </Content>
      </Portal>
    </Root>
  )
}
