/**
 * How many messages a worker hands over at once, and whose they are.
 *
 * A company may hold as many slots as are still free: one that has much to send gets half of them, two a third each,
 * and who comes next always finds room. An account has a bound of its own, whoever uses it.
 */
import type { CompanyId } from '../../platform/ids.ts'
import type { Line } from './claim-store.ts'

export interface Slot {
  /** False where the other account is full; the slot stays what it was then. */
  readonly moveTo: (providerId: string) => boolean
  readonly release: () => void
}

interface Room extends Line {
  room: number
}

export interface Shares {
  readonly rooms: readonly (Line & { readonly room: number })[]
  /** Somebody got less than there may be to do: slots that become free are waited for. */
  readonly isShort: boolean
}

export class Slots {
  readonly #total: number
  readonly #perAccount: number
  readonly #ofCompany = new Map<string, number>()
  readonly #ofAccount = new Map<string, number>()
  #held = 0

  constructor(total: number, perAccount: number) {
    this.#total = total
    this.#perAccount = perAccount
  }

  get held(): number {
    return this.#held
  }

  take({ companyId, providerId }: Line): Slot {
    let account = providerId
    this.#held++
    add(this.#ofCompany, companyId, 1)
    add(this.#ofAccount, account, 1)
    return {
      moveTo: (other) => {
        if (other === account) return true
        if (countOf(this.#ofAccount, other) >= this.#perAccount) return false
        add(this.#ofAccount, account, -1)
        add(this.#ofAccount, other, 1)
        account = other
        return true
      },
      release: () => {
        this.#held--
        add(this.#ofCompany, companyId, -1)
        add(this.#ofAccount, account, -1)
      },
    }
  }

  /** One slot after the other goes to the company that has least, and there to the line that got least. */
  shareOut(lines: readonly Line[], most: number): Shares {
    const waiting = lines.map((line): Room => ({ ...line, room: 0 }))
    const toCompany = new Map(this.#ofCompany)
    const toAccount = new Map(this.#ofAccount)
    let free = this.#total - this.#held
    const has = (companyId: CompanyId) => countOf(toCompany, companyId)
    const fits = ({ companyId, providerId }: Line) =>
      has(companyId) < free && countOf(toAccount, providerId) < this.#perAccount
    const isBehind = (line: Room, other: Room) =>
      (has(line.companyId) - has(other.companyId) || line.room - other.room) < 0
    for (let given = 0; given < most; given++) {
      let next: Room | undefined
      for (const line of waiting) {
        if (fits(line) && (!next || isBehind(line, next))) next = line
      }
      if (!next) break
      next.room++
      free--
      add(toCompany, next.companyId, 1)
      add(toAccount, next.providerId, 1)
    }
    return { rooms: waiting.filter(({ room }) => room > 0), isShort: waiting.some((line) => !fits(line)) }
  }
}

const countOf = (counts: ReadonlyMap<string, number>, key: string) => counts.get(key) ?? 0

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = countOf(counts, key) + change
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
