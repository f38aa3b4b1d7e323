import type { PasskeyAnswer } from '@countersign/contract'
import KeyRound from 'lucide-react/icons/key-round'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import { canUsePasskeys } from '#lib/passkey.ts'
import { useOpened } from '#lib/use-opened.ts'
import { usePasskeys, useRemovePasskey } from '../api/passkeys.ts'
import { MakePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx'

const columns: readonly Column<PasskeyAnswer>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ name, is_backed_up, is_suspect }) => (
      <span className="flex flex-wrap items-center gap-2 font-medium">
        <span className="[overflow-wrap:anywhere]">{name}</span>
        {is_suspect && <Badge tone="bad">may have been copied</Badge>}
        {is_backed_up && <Badge>in a password manager</Badge>}
      </span>
    ),
  },
  { key: 'created', header: 'Created', from: 'md', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    key: 'used',
    header: 'Last used',
    from: 'sm',
    cell: ({ last_used_at }) => <Time value={last_used_at} otherwise="never" />,
  },
  {
    key: 'actions',
    header: <span className="sr-only">Actions</span>,
    align: 'end',
    cell: (passkey) => <Actions passkey={passkey} />,
  },
]

export function PasskeysCard() {
  const [, setOpen] = useOpened('make-passkey')
  const query = usePasskeys()
  const reason = canUsePasskeys ? undefined : 'This browser cannot use passkeys at this address.'
  return (
    <Card
      title="Passkeys"
      description="Sign in with your fingerprint, your face or your device’s PIN, without waiting for a code."
      isFlush
      actions={
        <Button disabledReason={reason} onClick={() => setOpen(true)}>
          <Plus aria-hidden="true" />
          Create a passkey
        </Button>
      }
    >
      <Loaded query={query} loading={<SkeletonRows rows={1} />}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <Empty title="You have no passkey yet" icon={<KeyRound />} className="py-8">
              Create one on this device. You can have several, one for each device.
            </Empty>
          ) : (
            <Table
              label="Passkeys"
              rows={passkeys}
              rowKey={({ passkey_id }) => passkey_id}
              columns={columns}
            />
          )
        }
      </Loaded>
      <MakePasskeyDialog />
    </Card>
  )
}

function Actions({ passkey }: { readonly passkey: PasskeyAnswer }) {
  const remove = useRemovePasskey()
  const [isRenaming, setRenaming] = useState(false)
  return (
    <span className="flex justify-end gap-2 max-sm:flex-col">
      <Button size="sm" onClick={() => setRenaming(true)} aria-label={`Rename ${passkey.name}`}>
        Rename
      </Button>
      <Confirm
        trigger={
          <Button size="sm" variant="danger" aria-label={`Remove ${passkey.name}`}>
            Remove
          </Button>
        }
        title={`Remove “${passkey.name}”?`}
        description="It can no longer be used to sign in. Remove it from your device, too."
        action="Remove"
        onConfirm={() => remove.mutateAsync({ params: { passkey_id: passkey.passkey_id } })}
      />
      <RenamePasskeyDialog passkey={passkey} isOpen={isRenaming} onOpenChange={setRenaming} />
    </span>
  )
}
