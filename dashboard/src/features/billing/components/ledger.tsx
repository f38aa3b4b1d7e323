import type { LedgerKind } from '@countersign/contract'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import ReceiptText from 'lucide-react/icons/receipt-text'
import { Card } from '#components/ui/card.tsx'
import { DownloadButton } from '#components/ui/download-button.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { ExactTime } from '#components/ui/values.tsx'
import { decimalsOf } from '#lib/amount.ts'
import type { AnswerOf } from '#lib/client.ts'
import { formatMoney, useCurrency } from '#lib/money.ts'
import { ledgerFile, useLedger } from '../api/billing.ts'
import { FindVerification } from './find-verification.tsx'

type Entry = AnswerOf<'listLedger'>['entries'][number]

const kindWords: Readonly<Record<LedgerKind, string>> = {
  credit: 'Top-up',
  reserve: 'Message',
  capture: 'Accepted by the carrier: charged',
  return: 'Refunded: the message failed',
  carried: 'Carried forward from older entries',
}

const route = getRouteApi('/shell/c/$companyId/billing')

export function Ledger({ companyId }: { readonly companyId: string }) {
  const { entries: wanted } = route.useSearch()
  const navigate = useNavigate()
  const query = useLedger(companyId)
  return (
    <Card
      isFlush
      title="Ledger"
      description="Newest first. The amounts add up to the balance."
      actions={
        <>
          <DownloadButton path={ledgerFile(companyId)} name="ledger.csv" />
          <Segmented
            label="Entries"
            value={wanted ?? 'moves'}
            options={[
              ['moves', 'Balance changes'],
              ['all', 'Everything'],
            ]}
            onChange={(next) =>
              void navigate({
                to: '.',
                search: (before) => ({ ...before, entries: next === 'all' ? next : undefined }),
                replace: true,
              })
            }
          />
        </>
      }
    >
      <Loaded query={query} loading={<SkeletonRows />}>
        {({ pages }) => {
          const entries = pages
            .flatMap((page) => page.entries)
            .filter(({ amount }) => wanted === 'all' || Number(amount) !== 0)
          return entries.length === 0 && !query.hasNextPage ? (
            <Empty title="Nothing here yet" icon={<ReceiptText />}>
              A top-up or the first message that costs something makes the first entry.
            </Empty>
          ) : (
            <>
              <Entries entries={entries} />
              <Pages query={query} shown={entries.length} noun={['entry', 'entries']} />
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const decimals = decimalsOf(entries.map(({ amount }) => amount))
  const columns: Column<Entry>[] = [
    { key: 'at', header: 'Time', cell: ({ created_at }) => <ExactTime value={created_at} />, from: 'sm' },
    {
      key: 'kind',
      header: 'What',
      // On a phone this is the first column, and shows the time too.
      className: 'max-sm:pl-4',
      cell: ({ kind, note, created_at, otp_id }) => (
        <div className="py-0.5">
          <p>{kindWords[kind]}</p>
          {note && <p className="max-w-sm text-xs text-muted [overflow-wrap:anywhere]">{note}</p>}
          <p className="text-xs text-muted sm:hidden">
            <ExactTime value={created_at} />
          </p>
          {otp_id && (
            <p className="md:hidden">
              <FindVerification otpId={otp_id} />
            </p>
          )}
        </div>
      ),
    },
    {
      key: 'otp',
      header: 'Verification',
      from: 'md',
      cell: ({ otp_id }) =>
        otp_id ? <FindVerification otpId={otp_id} /> : <span className="text-faint">—</span>,
    },
    {
      key: 'amount',
      header: 'Amount',
      align: 'end',
      cell: ({ amount }) => <Signed amount={amount} decimals={decimals} />,
    },
  ]
  return <Table label="Ledger" columns={columns} rows={entries} rowKey={({ entry_id }) => entry_id} />
}

function Signed({ amount, decimals }: { readonly amount: string; readonly decimals: number }) {
  const value = Number(amount)
  const text = formatMoney(amount.replace('-', ''), useCurrency(), decimals)
  if (value === 0) return <span className="whitespace-nowrap text-faint">{text}</span>
  return value > 0 ? (
    <span className="font-medium whitespace-nowrap text-accent">+{text}</span>
  ) : (
    <span className="whitespace-nowrap">−{text}</span>
  )
}
