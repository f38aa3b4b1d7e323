import type { BacktestAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Notice } from '#components/ui/notice.tsx'
import { Stat, Stats } from '#components/ui/stat.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { Channel, Country, Money, Time } from '#components/ui/values.tsx'
import { formatCount, formatShare, plural } from '#lib/format.ts'
import { conditionLabels } from '../lib/rule-words.ts'

type Example = BacktestAnswer['examples'][number]
type RuleFigures = BacktestAnswer['rules'][number]

const wouldWords: Readonly<Record<Example['would'], string>> = {
  refuse: 'Refused',
  hold: 'Held',
  reroute: 'Rerouted',
  pass: 'Let through',
}

interface BacktestFiguresProps {
  readonly appId: string
  readonly answer: BacktestAnswer
}

export function BacktestFigures({ appId, answer }: BacktestFiguresProps) {
  const unknown = answer.unknown_conditions.map(labelOf).join(', ')
  const touched = answer.would_refuse + answer.would_hold + answer.would_reroute
  return (
    <div className="flex flex-col gap-4">
      <Stats>
        <Stat label="Checked" value={formatCount(answer.sends)} note="sends and resends" />
        <Stat
          label="Would refuse"
          value={formatCount(answer.would_refuse)}
          note={shareOf(answer.would_refuse, answer)}
        />
        <Stat
          label="Would hold"
          value={formatCount(answer.would_hold)}
          note={shareOf(answer.would_hold, answer)}
        />
        <Stat
          label="Would reroute"
          value={formatCount(answer.would_reroute)}
          note={shareOf(answer.would_reroute, answer)}
        />
        <Stat
          label="Approved among these"
          value={formatCount(answer.approved_among_them)}
          note={touched === 0 ? '—' : `${formatShare(answer.approved_among_them / touched)} of these`}
        />
        <Stat
          label="Cost saved"
          value={<Money amount={answer.cost_saved} decimals="short" />}
          note={plural(answer.people, 'person', 'people')}
        />
      </Stats>
      {answer.would_pass > 0 && (
        <p className="text-sm text-muted">
          {plural(answer.would_pass, 'send')} that {answer.would_pass === 1 ? 'was' : 'were'} refused would be
          let through.
        </p>
      )}
      {answer.unknown > 0 && (
        <Notice tone="plain" title={`${plural(answer.unknown, 'send')} could not be judged in full`}>
          <p>The data for these conditions was not recorded, so they count as not met: {unknown}.</p>
        </Notice>
      )}
      <ByRule rules={answer.rules} />
      {answer.examples.length > 0 && <Examples appId={appId} examples={answer.examples} />}
    </div>
  )
}

const labelOf = (name: string) => new Map(Object.entries(conditionLabels)).get(name) ?? name

const shareOf = (count: number, { sends }: BacktestAnswer): ReactNode =>
  sends === 0 ? '—' : formatShare(count / sends)

function ByRule({ rules }: { readonly rules: readonly RuleFigures[] }) {
  const columns: Column<RuleFigures>[] = [
    { key: 'name', header: 'Rule', cell: ({ name }) => name },
    { key: 'matched', header: 'Matched', align: 'end', cell: ({ matched }) => formatCount(matched) },
    { key: 'refuse', header: 'Refused', align: 'end', cell: (rule) => formatCount(rule.would_refuse) },
    { key: 'hold', header: 'Held', align: 'end', from: 'sm', cell: (rule) => formatCount(rule.would_hold) },
    {
      key: 'reroute',
      header: 'Rerouted',
      align: 'end',
      from: 'sm',
      cell: (rule) => formatCount(rule.would_reroute),
    },
    {
      key: 'approved',
      header: 'Approved',
      align: 'end',
      cell: (rule) => formatCount(rule.approved_among_them),
    },
  ]
  return (
    <div className="-mx-4 border-y">
      <Table label="By rule" columns={columns} rows={rules} rowKey={({ name }) => name} />
    </div>
  )
}

function Examples({ appId, examples }: { readonly appId: string; readonly examples: readonly Example[] }) {
  const columns: Column<Example>[] = [
    { key: 'at', header: 'When', cell: ({ at }) => <Time value={at} /> },
    {
      key: 'recipient',
      header: 'Recipient',
      cell: ({ otp_id, masked_recipient }) =>
        otp_id === null ? (
          masked_recipient
        ) : (
          <Link to="/a/$appId/verifications/$otpId" params={{ appId, otpId: otp_id }} className={textLink}>
            {masked_recipient}
          </Link>
        ),
    },
    { key: 'country', header: 'Country', from: 'md', cell: ({ country }) => <Country code={country} /> },
    {
      key: 'channel',
      header: 'Channel',
      from: 'xl',
      cell: ({ channel }) => (channel === null ? '—' : <Channel name={channel} />),
    },
    { key: 'rule', header: 'Rule', from: 'sm', cell: ({ rule }) => rule ?? '—' },
    { key: 'would', header: 'Would be', cell: ({ would }) => wouldWords[would] },
    { key: 'approved', header: 'Approved', cell: ({ is_approved }) => (is_approved ? 'Yes' : 'No') },
  ]
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">Examples</h3>
      <div className="-mx-4 -mb-4 border-t">
        <Table
          label="Examples"
          columns={columns}
          rows={examples}
          rowKey={({ otp_id, at, kind }) => `${otp_id ?? ''} ${kind} ${at}`}
        />
      </div>
    </div>
  )
}
