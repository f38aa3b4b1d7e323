import { Dialog } from '#components/ui/dialog.tsx'
import { Kbd } from '#components/ui/kbd.tsx'
import { useMe } from '#lib/session.ts'
import { commandKey } from '#lib/shortcuts.ts'
import { accountPage, appPages, companyPages, operatorPages } from '../navigation.ts'

interface ShortcutsDialogProps {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

export function ShortcutsDialog({ isOpen, onOpenChange }: ShortcutsDialogProps) {
  const me = useMe()
  const pages = [...appPages, ...companyPages, accountPage, ...(me.is_operator ? operatorPages : [])]
  const rows = [
    { keys: `${commandKey} K`, label: 'Go to any page or run a command' },
    { keys: '/', label: 'The same' },
    { keys: '?', label: 'These shortcuts' },
    ...pages.map(({ keys, label }) => ({ keys, label })),
  ]
  return (
    <Dialog isOpen={isOpen} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <dl className="grid grid-cols-1 gap-x-8 sm:grid-cols-2">
        {rows.map(({ keys, label }) => (
          <div key={keys} className="flex items-center justify-between gap-4 border-b py-1.5 text-sm">
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keys.split(' ').map((key, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same key may come twice
                <Kbd key={index}>{key.length === 1 ? key.toUpperCase() : key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
