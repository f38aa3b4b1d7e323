import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { countryName } from '#lib/format.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'

interface CountryOrderActionsProps {
  readonly appId: string
  readonly code: string
  readonly onEdit: () => void
}

export function CountryOrderActions({ appId, code, onEdit }: CountryOrderActionsProps) {
  const { may, reason } = useMayChangeApp(appId)
  const name = countryName(code)
  const change = useSettingsChange(appId, {
    says: `${name} follows the default order again`,
    problems: 'form',
  })
  const remove = (
    <Button size="sm" variant="danger" disabledReason={reason} aria-label={`Remove ${name}`}>
      Remove
    </Button>
  )
  return (
    <span className="flex justify-end gap-1.5">
      <Button size="sm" disabledReason={reason} aria-label={`Edit the order for ${name}`} onClick={onEdit}>
        Edit
      </Button>
      {may ? (
        <Confirm
          trigger={remove}
          title={`Remove the order for ${name}?`}
          description={`Numbers in ${name} use the default order again, starting with the next send.`}
          action="Remove the order"
          onConfirm={() => change({ routing: { countries: { [code]: null } } })}
        />
      ) : (
        remove
      )}
    </span>
  )
}
