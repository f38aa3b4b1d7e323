import type { ProviderAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import PlugZap from 'lucide-react/icons/plug-zap'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { ProviderDialog } from '#components/providers/provider-dialog.tsx'
import { ProviderTable } from '#components/providers/provider-table.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useMe } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useAccounts } from '../api/use-carriers.ts'

export function OwnAccounts({ appId }: { readonly appId: string }) {
  const { company_id } = useApp(appId)
  const { reason } = useMayChangeApp(appId)
  const query = useAccounts(appId)
  const [isAdding, setAdding] = useOpened('add-provider')
  const [edited, setEdited] = useState<ProviderAnswer | null>(null)
  const add = (
    <Button variant="primary" size="sm" disabledReason={reason} onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      Add an account
    </Button>
  )
  return (
    <Card
      isFlush
      title="Your own provider accounts"
      description="They belong to the company and carry the messages of all its apps. They are used before the operator’s. Changes take effect within a second."
      actions={add}
    >
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {({ providers }) =>
          providers.length === 0 ? (
            <NoAccounts />
          ) : (
            <ProviderTable
              label="Your own provider accounts"
              accounts={providers}
              onEdit={setEdited}
              disabledReason={reason}
            />
          )
        }
      </Loaded>
      <ProviderDialog
        isOpen={isAdding && reason === undefined}
        onOpenChange={setAdding}
        account={null}
        companyId={company_id}
      />
      <ProviderDialog
        key={edited?.provider_id}
        isOpen={edited !== null}
        onOpenChange={(isOpen) => {
          if (!isOpen) setEdited(null)
        }}
        account={edited}
        companyId={company_id}
        disabledReason={reason}
      />
    </Card>
  )
}

function NoAccounts() {
  const me = useMe()
  return (
    <Empty title="No accounts of your own" icon={<PlugZap />}>
      {me.installation.phones_url
        ? 'If the operator has none either, messages go to the simulator and only reach its phones.'
        : 'The operator’s accounts, if there are any, carry your messages.'}
      {me.is_operator && (
        <p className="mt-1">
          <Link to="/operator/providers" search={{ owner: 'operator' }} className={textLink}>
            See the operator’s accounts
          </Link>
        </p>
      )}
    </Empty>
  )
}
