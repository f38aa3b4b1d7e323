/** What other services do: fixed limits, and a conversion rate below which a network is blocked. */
import type { Decider } from './engine.ts'
import type { Send } from './traffic.ts'

const hour = 3_600

/** Five sends an hour to a recipient, twenty an hour from a client IP. */
export function createFixedLimits(): Decider {
  const times = new Map<string, number[]>()
  const countOf = (key: string, t: number) => {
    const kept = (times.get(key) ?? []).filter((time) => time > t - hour)
    times.set(key, kept)
    return kept
  }
  return {
    decide({ t, recipient, clientIp }) {
      const toRecipient = countOf(recipient, t)
      const fromAddress = countOf(`ip ${clientIp}`, t)
      if (toRecipient.length >= 5) return 'recipient'
      if (fromAddress.length >= 20) return 'ip'
      toRecipient.push(t)
      fromAddress.push(t)
      return null
    },
    approve: () => {},
  }
}

/**
 * Blocks a network (country and first digits) that had 30 sends or more in an hour, of which at most 35 % converted.
 */
export function createConversionRule(): Decider {
  const limits = createFixedLimits()
  const networks = new Map<string, { sends: { t: number; isApproved: boolean }[]; blockedUntil: number }>()
  const sent = new Map<Send, { isApproved: boolean }>()
  return {
    decide(send) {
      const { t, country, recipient } = send
      const key = recipient.slice(0, country.callingCode.length + 4)
      const network = networks.get(key) ?? { sends: [], blockedUntil: 0 }
      networks.set(key, network)
      if (network.blockedUntil > t) return 'network'
      network.sends = network.sends.filter((entry) => entry.t > t - hour)
      const judged = network.sends.filter((entry) => entry.t < t - 60)
      const approved = judged.filter((entry) => entry.isApproved).length
      if (judged.length >= 30 && approved <= 0.35 * judged.length) {
        network.blockedUntil = t + hour
        network.sends = []
        return 'network'
      }
      const limited = limits.decide(send)
      if (limited) return limited
      const entry = { t, isApproved: false }
      network.sends.push(entry)
      sent.set(send, entry)
      return null
    },
    approve(send) {
      const entry = sent.get(send)
      if (entry) entry.isApproved = true
      sent.delete(send)
    },
  }
}
