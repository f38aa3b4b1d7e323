import type { RuleName } from '@countersign/contract'

const ruleNames = {
  paused: 'App is paused',
  recipient: 'Recipient',
  geo: 'Country',
  ip_reputation: 'Client IP',
  exception: 'Blocked or allowed recipient',
  own_rule: 'Rule of your own',
  routing: 'Routing',
  pumping: 'Pumping guard',
  limits: 'Limits',
  'limit.recipient': 'Limit: recipient',
  'limit.ip': 'Limit: client IP',
  'limit.flagged_ip': 'Limit: flagged client IP',
  'limit.app': 'Limit: app',
  'limit.app_without_ip': 'Limit: app, without a client IP',
  spend: 'Spend caps',
  balance: 'Price and balance',
  account: 'Account',
  pending: 'Still pending',
  cooldown: 'Cooldown',
  send_attempts: 'Send attempts',
} satisfies Record<RuleName, string>

/** A rule that no longer exists keeps the name that the service gave it. */
export const ruleName = (rule: string): string => new Map(Object.entries(ruleNames)).get(rule) ?? rule

/** The rules that can refuse, without those that only ever pass. */
export const refusingRules = Object.keys(ruleNames).filter((rule) => rule !== 'limits' && rule !== 'account')
