import { Command } from 'cmdk'
import { Content, Portal, Root, Trigger } from 'radix-ui/popover'
import { type ReactNode, useState } from 'react'

interface PickerOption {
  readonly value: string
  readonly label: string
  /** Shown small before the label, and searched too. */
  readonly code?: string
}

interface PickerProps {
  /** The button that opens it. */
  readonly trigger: ReactNode
  readonly label: string
  readonly options: readonly PickerOption[]
  readonly onPick: (value: string) => void
  /** Stays open, so that several can be picked. */
  readonly isForMany?: boolean
  /** Given if the service does the searching. */
  readonly onSearch?: (text: string) => void
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Names that begin with the text come first, then names with a word that does, then names that contain it. */
function rank(_value: string, search: string, names: readonly string[] = []): number {
  const wanted = plain(search.trim())
  const found = names.map(plain)
  if (found.some((name) => name === wanted)) return 1
  if (found.some((name) => name.startsWith(wanted))) return 0.9
  if (found.some((name) => name.split(/[\s-]+/).some((word) => word.startsWith(wanted)))) return 0.8
  return found.some((name) => name.includes(wanted)) ? 0.5 : 0
}

/** A choice of one among many options, found by typing. */
export function Picker({ trigger, label, options, onPick, isForMany = false, onSearch }: PickerProps) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const search = (next: string) => {
    setText(next)
    onSearch?.(next)
  }
  const pick = (value: string) => {
    onPick(value)
    search('')
    if (!isForMany) setOpen(false)
  }
  return (
    <Root open={isOpen} onOpenChange={setOpen}>
      <Trigger asChild>{trigger}</Trigger>
      <Portal>
        <Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className="z-50 w-72 max-w-[calc(100vw-1rem)] animate-appear overflow-hidden rounded-lg border bg-surface shadow-pop"
        >
          <Command label={label} loop shouldFilter={onSearch === undefined} filter={rank}>
            <Command.Input
              value={text}
              onValueChange={search}
              placeholder="Type to search"
              className="h-9 w-full border-b bg-transparent px-3 text-sm outline-none placeholder:text-faint pointer-coarse:text-[16px]"
            />
            <Command.List label={label} className="max-h-64 overflow-y-auto p-1">
              <Command.Empty className="px-3 py-4 text-sm text-muted">No matches.</Command.Empty>
              {options.map(({ value, label: name, code }) => (
                <Command.Item
                  key={value}
                  value={value}
                  keywords={code ? [name, code] : [name]}
                  onSelect={() => pick(value)}
                  className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm data-[selected=true]:bg-sunken pointer-coarse:py-2.5"
                >
                  {code && <span className="w-6 font-mono text-xs text-faint">{code}</span>}
                  <span className="min-w-0 truncate">{name}</span>
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Content>
      </Portal>
    </Root>
  )
}
