import { ruleName, whyRefused } from '@countersign/contract/words'
import { Link } from '@tanstack/react-router'
import { Status } from '#components/ui/badge.tsx'
import { type Column, nameColumn, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Channel, Country, DeliveryState, Time } from '#components/ui/values.tsx'
import { RecipientLink } from '#components/verifications/recipient-link.tsx'
import { StatusAndMessage } from '#components/verifications/verifications-table.tsx'
import { wordsOfPages } from '#lib/decision-words.ts'
import { formatCount, formatExact } from '#lib/format.ts'
import { formatMoney, useCurrency } from '#lib/money.ts'
import type { Happened } from '../lib/happened.ts'

interface HappenedTableProps {
  readonly appId: string
  readonly rows: readonly Happened[]
}

/** Verifications and refusals in one table. */
export const HappenedTable = ({ appId, rows }: HappenedTableProps) => (
  <Table
    label="Verifications and refusals"
    rows={rows}
    rowKey={(each) => (each.kind === 'started' ? each.row.otp_id : each.row.refusal_id)}
    rowTitle={({ row }) => formatExact(row.created_at)}
    columns={[
      {
        key: 'recipient',
        header: 'Recipient',
        className: nameColumn,
        cell: (each) => <Recipient appId={appId} each={each} />,
      },
      ...columns,
    ]}
  />
)

interface RecipientProps {
  readonly appId: string
  readonly each: Happened
}

/** A refusal links to its verification, or else to the list of refusals by the same rule. */
function Recipient({ appId, each }: RecipientProps) {
  const { otp_id: otpId, masked_recipient: recipient, channel } = each.row
  return (
    <>
      {otpId === null ? (
        <Link
          to="/a/$appId/verifications"
          params={{ appId }}
          search={{ view: 'refused', rule: each.kind === 'refused' ? each.row.rule : undefined }}
          className={rowLinkClass}
        >
          {recipient}
        </Link>
      ) : (
        <RecipientLink appId={appId} otpId={otpId} recipient={recipient} />
      )}
      <span className="block text-xs text-faint sm:hidden">
        {each.kind === 'refused' ? ruleName(each.row.rule) : channel && <Channel name={channel} />}
      </span>
    </>
  )
}

const none = <span className="text-faint">—</span>

const columns: readonly Column<Happened>[] = [
  {
    key: 'status',
    header: 'Status',
    cell: (each) =>
      each.kind === 'started' ? (
        <StatusAndMessage row={each.row} />
      ) : (
        <Status tone="bad">{each.row.kind === 'send' ? 'Refused' : 'Resend refused'}</Status>
      ),
  },
  {
    key: 'channel',
    header: 'Channel',
    from: 'sm',
    cell: ({ row }) => (row.channel ? <Channel name={row.channel} /> : none),
  },
  {
    key: 'message',
    header: 'Last message or reason',
    from: 'md',
    cell: (each) =>
      each.kind === 'started' ? (
        <DeliveryState status={each.row.delivery_status} />
      ) : (
        <Why rule={each.row.rule} facts={each.row.facts} count={each.row.count} />
      ),
  },
  { key: 'country', header: 'Country', from: 'md', cell: ({ row }) => <Country code={row.country} /> },
  {
    key: 'sends',
    header: 'Sends',
    align: 'end',
    from: 'xl',
    cell: (each) => (each.kind === 'started' ? each.row.sends : none),
  },
  {
    key: 'attempts',
    header: 'Wrong codes',
    align: 'end',
    from: 'xl',
    cell: (each) => (each.kind === 'started' ? each.row.attempts : none),
  },
  { key: 'at', header: 'When', align: 'end', cell: ({ row }) => <Time value={row.created_at} /> },
]

type Refused = Extract<Happened, { readonly kind: 'refused' }>['row']

/** The rule's name and the beginning of its sentence; the list of refusals has the whole sentence. */
function Why({ rule, facts, count }: Pick<Refused, 'rule' | 'facts' | 'count'>) {
  const currency = useCurrency()
  const words = wordsOfPages((amount) => formatMoney(amount, currency))
  return (
    <>
      {ruleName(rule)}
      {count > 1 && <span className="text-faint"> × {formatCount(count)}</span>}
      <span className="line-clamp-2 max-w-72 text-xs text-muted [overflow-wrap:anywhere]">
        {whyRefused(rule, facts, words)}
      </span>
    </>
  )
}
