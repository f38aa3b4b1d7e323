import type { HeldPeopleAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useApp } from '#lib/app.ts'
import { dayOf } from '#lib/time-zone.ts'
import { useNow } from '#lib/use-now.ts'
import { heldPeopleQuery } from '../api/queries.ts'
import {
  type HeldPeriod,
  heldInWords,
  heldPeriodLabel,
  heldPeriods,
  heldRange,
  wereMostlyPeople,
} from '../lib/held-people.ts'

const clockMs = 60_000

/** How many recipients the guard against pumping held back, and whether they were people. */
export function HeldCard({ appId }: { readonly appId: string }) {
  const [period, setPeriod] = useState<HeldPeriod>('yesterday')
  const now = useNow(clockMs)
  const range = useMemo(() => heldRange(period, now), [period, now])
  const query = useQuery(heldPeopleQuery(appId, range))
  return (
    <Card
      title="Held back by the guard against pumping"
      description="A number that is verified later belongs to a real person."
      actions={
        <Segmented
          label="Days"
          value={period}
          options={heldPeriods.map((each) => [each, heldPeriodLabel(each)] as const)}
          onChange={setPeriod}
        />
      }
    >
      <Loaded query={query} loading={<Skeleton className="h-5" />}>
        {(held) => <Held appId={appId} period={period} held={held} />}
      </Loaded>
    </Card>
  )
}

interface HeldProps {
  readonly appId: string
  readonly period: HeldPeriod
  readonly held: HeldPeopleAnswer
}

function Held({ appId, period, held }: HeldProps) {
  const { mode } = useApp(appId).pumping
  const words = heldInWords(period, held)
  const holdsBack = mode === 'auto' || mode === 'enforce'
  if (!holdsBack || !wereMostlyPeople(held)) return <p className="text-sm">{words}</p>
  return (
    <Notice tone="warn" title={words}>
      <p>
        Most of them should not have been held back. Under{' '}
        <Link to="/a/$appId/guard" params={{ appId }} search={{ tab: 'pumping' }} className={textLink}>
          Pumping
        </Link>{' '}
        you can declare their country or lift the block; in mode Monitor the guard only records. See{' '}
        <Link
          to="/a/$appId/verifications"
          params={{ appId }}
          search={{ view: 'refused', rule: 'pumping', from: dayOf(held.from) }}
          className={textLink}
        >
          what was refused
        </Link>
        .
      </p>
    </Notice>
  )
}
