/** `audit verify`: checks whether the chains of the audit trail are intact. */
import { type CheckedChain, verifyAudit } from '../domain/members/index.ts'
import { parseId } from '../platform/ids.ts'
import { type Command, exits, UsageError } from './command.ts'

const nameOf = ({ companyId }: CheckedChain) => companyId ?? 'the installation'

function sentenceOf(chain: CheckedChain): string {
  if (chain.broken === null) {
    return `${nameOf(chain)}: holds, ${chain.entries} ${chain.entries === 1 ? 'entry' : 'entries'}, ends at ${chain.head?.position} ${chain.head?.mac.slice(0, 16)}`
  }
  const { position, auditId, what } = chain.broken
  return `${nameOf(chain)}: BROKEN at ${position}${auditId ? ` (${auditId})` : ''}: ${what}`
}

const plain = (chain: CheckedChain) => ({
  company_id: chain.companyId,
  holds: chain.broken === null,
  entries: chain.entries,
  head: chain.head,
  broken: chain.broken && {
    position: chain.broken.position,
    audit_id: chain.broken.auditId,
    what: chain.broken.what,
  },
})

export const auditCommand: Command = {
  needs: 'database',
  words: ['verify'],
  summary: 'whether the audit trail holds',
  details: ['It reads only, and exits with 1 where a chain is broken.'],
  options: { company: 'the id of one company, such as cmp_…; all of them if it is not said' },
  isReading: true,
  read: ([verb], { company }) => {
    if (verb !== 'verify') throw new UsageError('Say: audit verify [--company cmp_…] [--json]')
    const companyId = company === undefined ? null : parseId('company', company)
    if (company !== undefined && !companyId) throw new UsageError('--company is an id such as cmp_…')
    return async (surroundings) => {
      const chains = await verifyAudit(surroundings, companyId)
      const holds = chains.every((chain) => chain.broken === null)
      const verdict = holds ? 'The audit trail holds.' : 'The audit trail does not hold.'
      return {
        text: [...chains.map(sentenceOf), verdict].join('\n'),
        data: { holds, chains: chains.map(plain) },
        exit: holds ? exits.done : exits.no,
      }
    }
  },
}
