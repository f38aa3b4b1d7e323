/** What the guard holds back, what it is alarmed by, and what it goes by. */
import { listBlocks, lookUpGuessing } from '../../guard/index.ts'
import { count } from '../words.ts'
import { type AttentionDependencies, type Check, type Item, iso } from './attention.ts'

const watched = '; the guard only watches, so nothing is held back'
const effects = {
  enforce: '',
  auto: '; in mode auto wide places are only watched until the guard has learnt, and all where the simulator carries',
  monitor: watched,
  off: watched,
} as const

export const checkBlocks: Check = async ({ database, keyring }, app) => {
  const blocks = await listBlocks({ database, keyring }, app)
  if (blocks.length === 0) return []
  const since = new Date(Math.min(...blocks.map(({ startedAtMs }) => startedAtMs)))
  const what = `${count(blocks.length, 'block')} against pumped traffic ${blocks.length === 1 ? 'stands' : 'stand'}`
  const effect = effects[app.settings.pumping.mode]
  return [
    {
      kind: 'pumping_blocks',
      severity: 'warning',
      message: `${what}${effect}.`,
      since: iso(since),
      subject: app.appId,
    },
  ]
}

export const checkGuesses: Check = async ({ database }, app) => {
  const { alarm, recent, usualRatio } = await lookUpGuessing({ database }, app)
  if (!alarm) return []
  const usual = `usual is ${Math.round(usualRatio * 100)} %`
  const message = `${recent.failures} of ${recent.guesses} codes entered in the last hour were wrong; ${usual}. Further guesses are slowed down.`
  return [
    { kind: 'wrong_codes', severity: 'critical', message, since: iso(alarm.raisedAt), subject: app.appId },
  ]
}

export const checkIpSources: Check = async (dependencies) => findIpSources(dependencies)

export const findIpSources = ({ reputation }: Pick<AttentionDependencies, 'reputation'>): Item[] =>
  reputation.sources().flatMap(({ name, problem }): Item[] => {
    if (problem === null) return []
    const message = `The list of addresses ${name} cannot be relied on: ${problem}.`
    return [{ kind: 'ip_source', severity: 'warning', message, since: null, subject: name }]
  })
