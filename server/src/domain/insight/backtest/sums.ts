/** Adds up the figures of a backtest as sends are looked at. */
import type { BacktestAnswer, RuleConditionName } from '@countersign/contract'
import { formatMicros } from '../../billing/index.ts'
import type { CompiledRules } from '../../verification/index.ts'
import { type Recorded, wentOf } from './recorded.ts'
import type { Effect, Would } from './replay.ts'

const mostExamples = 20

type Counts = Record<Would['what'], number> & { matched: number; approved: number }

const noCounts = (): Counts => ({ refuse: 0, hold: 0, reroute: 0, pass: 0, matched: 0, approved: 0 })

export class Sums {
  #sends = 0
  #unknown = 0
  #savedMicros = 0n
  readonly #total = noCounts()
  readonly #rules: ReadonlyMap<string, Counts>
  readonly #people = new Set<string>()
  readonly #unknownConditions = new Set<RuleConditionName>()
  readonly #examples: BacktestAnswer['examples'] = []

  constructor({ rules }: CompiledRules) {
    this.#rules = new Map(rules.map(({ name }) => [name, noCounts()]))
  }

  add(recorded: Recorded, { judged, would, savedMicros }: Effect): void {
    const count = recorded.refused?.count ?? 1
    this.#sends += count
    if (judged.unknown.length > 0) this.#unknown += count
    for (const name of judged.unknown) this.#unknownConditions.add(name)
    for (const { rule } of judged.verdicts) this.#add(rule.name, 'matched', count)
    if (!would) return
    this.#savedMicros += savedMicros
    if (would.what !== 'pass')
      this.#people.add(recorded.recipientHash?.toString('base64') ?? recorded.position)
    this.#add(would.rule, would.what, count)
    this.#total[would.what] += count
    if (recorded.isApproved) {
      this.#add(would.rule, 'approved', count)
      this.#total.approved += count
    }
    if (this.#examples.length < mostExamples) this.#examples.push(exampleOf(recorded, would))
  }

  #add(name: string | null, figure: keyof Counts, count: number): void {
    const counts = name === null ? undefined : this.#rules.get(name)
    if (counts) counts[figure] += count
  }

  figures(): Omit<BacktestAnswer, 'looked_to' | 'complete' | 'next_cursor'> {
    return {
      sends: this.#sends,
      ...figuresOf(this.#total),
      people: this.#people.size,
      cost_saved: formatMicros(this.#savedMicros),
      unknown: this.#unknown,
      unknown_conditions: [...this.#unknownConditions],
      rules: [...this.#rules].map(([name, counts]) => ({
        name,
        matched: counts.matched,
        ...figuresOf(counts),
      })),
      examples: this.#examples,
    }
  }
}

const figuresOf = ({ refuse, hold, reroute, pass, approved }: Counts) => ({
  would_refuse: refuse,
  would_reroute: reroute,
  would_hold: hold,
  would_pass: pass,
  approved_among_them: approved,
})

const exampleOf = (recorded: Recorded, { what, rule }: Would): BacktestAnswer['examples'][number] => ({
  kind: recorded.kind,
  otp_id: recorded.otpId,
  at: new Date(recorded.atMs).toISOString(),
  masked_recipient: recorded.maskedRecipient,
  country: recorded.country,
  channel: wentOf(recorded)?.channel ?? null,
  rule,
  would: what,
  is_approved: recorded.isApproved,
})
