import type { ProviderAnswer } from '@countersign/contract'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CopyField } from '#components/ui/copy.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { useChange } from '#lib/use-change.ts'
import { accountName } from './account-names.ts'
import { DryRun } from './dry-run.tsx'
import { ProviderForm } from './provider-form.tsx'
import { type Step, Steps } from './steps.tsx'

interface ProviderDialogProps {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  /** Null for a new account. */
  readonly account: ProviderAnswer | null
  readonly companyId: string | null
  readonly mayChooseOwner?: boolean
  /** Why this person may only look at the account; absent if they may change it. */
  readonly disabledReason?: string | undefined
}

export function ProviderDialog({
  isOpen,
  onOpenChange,
  account,
  companyId,
  mayChooseOwner = false,
  disabledReason,
}: ProviderDialogProps) {
  const [added, setAdded] = useState<ProviderAnswer | null>(null)
  const [unconnected, setUnconnected] = useState<Unconnected | null>(null)
  const check = useChange('checkProvider', { refreshes: ['listProviders'] })
  const close = () => {
    onOpenChange(false)
    setAdded(null)
    setUnconnected(null)
  }
  // Meta must be given the callback address, since it asks for a handshake first. Others get it with each message.
  const goOn = (saved: ProviderAnswer) => (account || saved.kind !== 'whatsapp' ? close() : setAdded(saved))
  const finish = async (saved: ProviderAnswer) => {
    // The account is saved, even if the check gets no answer: a toast has said so, and nothing is to be added again.
    const { steps } = saved.enabled
      ? await check.mutateAsync({ params: { provider_id: saved.provider_id } }).catch(() => unchecked)
      : unchecked
    if (steps.every(({ ok }) => ok)) goOn(saved)
    else setUnconnected({ saved, steps })
  }
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={titleOf(account, added, disabledReason !== undefined)}
      className="sm:max-w-2xl"
    >
      {unconnected ? (
        <CannotConnect
          steps={unconnected.steps}
          onEdit={account ? () => setUnconnected(null) : null}
          onDone={() => {
            setUnconnected(null)
            goOn(unconnected.saved)
          }}
        />
      ) : added ? (
        <MetaSteps account={added} onDone={close} />
      ) : (
        <>
          {account?.callback_url && <CopyField label="Callback URL" text={account.callback_url} />}
          {account?.kind === 'http' && disabledReason === undefined && <DryRun account={account} />}
          <ProviderForm
            {...{ account, companyId, mayChooseOwner, disabledReason }}
            onDone={finish}
            onCancel={close}
          />
        </>
      )}
    </Dialog>
  )
}

function titleOf(account: ProviderAnswer | null, added: ProviderAnswer | null, isFixed: boolean): string {
  if (added) return `${accountName(added)} is added`
  if (account && isFixed) return accountName(account)
  return account ? `Edit ${accountName(account)}` : 'Add a provider account'
}

const unchecked: { readonly steps: readonly Step[] } = { steps: [] }

interface Unconnected {
  readonly saved: ProviderAnswer
  readonly steps: readonly Step[]
}

interface CannotConnectProps {
  readonly steps: readonly Step[]
  /** Null for a new account, which is edited from the list. */
  readonly onEdit: (() => void) | null
  readonly onDone: () => void
}

const CannotConnect = ({ steps, onEdit, onDone }: CannotConnectProps) => (
  <>
    <Notice tone="warn" title="The account is saved, but it cannot connect">
      Messages go to the next account in line until it can.
    </Notice>
    <Steps steps={steps} />
    <div className="flex justify-end gap-2">
      {onEdit && <Button onClick={onEdit}>Edit it again</Button>}
      <Button variant="primary" onClick={onDone}>
        Leave it as it is
      </Button>
    </div>
  </>
)

interface MetaStepsProps {
  readonly account: ProviderAnswer
  readonly onDone: () => void
}

const MetaSteps = ({ account, onDone }: MetaStepsProps) => (
  <>
    <p className="text-sm">Three things are left to do at Meta, in the app’s WhatsApp configuration:</p>
    <ol className="flex list-decimal flex-col gap-3 pl-5 text-sm">
      <li>
        Set this callback URL, and use the verify token that you just entered.
        {account.callback_url && (
          <div className="mt-2">
            <CopyField label="Callback URL" text={account.callback_url} />
          </div>
        )}
      </li>
      <li>
        Subscribe to the field <code className="font-mono text-xs">messages</code>. It delivers receipts and
        the messages that people write.
      </li>
      <li>
        Have the template <code className="font-mono text-xs">{String(account.settings.template_name)}</code>{' '}
        approved: category Authentication, with a copy-code button. The link modes do not need it.
      </li>
    </ol>
    <div className="flex justify-end">
      <Button variant="primary" onClick={onDone}>
        Done
      </Button>
    </div>
  </>
)
