import { Command } from 'cmdk'
import type { LucideIcon } from 'lucide-react'
import CornerDownLeft from 'lucide-react/icons/corner-down-left'
import { Kbd } from '#components/ui/kbd.tsx'
import { type PaletteCommand, useCommands } from './commands.ts'
import { type PaletteContent, paletteInput, palettePlaceholder } from './palette-input.ts'

/** The commands that match what is typed. */
export function PaletteCommands({ place, text, onText, onClose, onShortcuts }: PaletteContent) {
  const groups = useCommands(place, text, onShortcuts)
  const run = (command: PaletteCommand) => {
    onClose()
    command.run()
  }
  return (
    <Command label="Commands" loop filter={rank}>
      <Command.Input
        autoFocus
        value={text}
        onValueChange={onText}
        placeholder={palettePlaceholder}
        className={paletteInput}
      />
      <Command.List className="max-h-[min(24rem,60vh)] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-center text-sm text-muted">No matches.</Command.Empty>
        {groups.map(({ heading, commands }) => (
          <Command.Group
            key={heading}
            heading={heading}
            className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint"
          >
            {commands.map((command) => (
              <Item key={command.id} command={command} onRun={() => run(command)} />
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  )
}

/** Matches the beginnings of words, in the label before other words. Letters scattered over a word are no match. */
function rank(_id: string, search: string, [label = '', ...words]: readonly string[] = []): number {
  const text = search.trim().toLowerCase()
  const begins = (name: string) =>
    name
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word.startsWith(text))
  if (label.toLowerCase().startsWith(text)) return 1
  if (begins(label) || label.toLowerCase().includes(text)) return 0.8
  return words.some((word) => begins(word) || word.toLowerCase().includes(text)) ? 0.5 : 0
}

interface ItemProps {
  readonly command: PaletteCommand
  readonly onRun: () => void
}

function Item({ command, onRun }: ItemProps) {
  const Icon: LucideIcon = command.icon ?? CornerDownLeft
  return (
    <Command.Item
      value={command.id}
      keywords={[command.label, ...(command.words ?? [])]}
      onSelect={onRun}
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-sm data-[selected=true]:bg-sunken"
    >
      <Icon className="size-4 shrink-0 text-faint" aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">{command.label}</span>
      {command.keys?.split(' ').map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may come twice
        <Kbd key={index}>{key.toUpperCase()}</Kbd>
      ))}
    </Command.Item>
  )
}
