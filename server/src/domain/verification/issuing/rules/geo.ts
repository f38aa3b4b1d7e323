/** The countries that the app sends to. */
import { type Rule, refuse } from '../rule.ts'

export const judgeGeo: Rule = ({ app, country }) => {
  const { mode, countries } = app.settings.geo
  const rule = 'geo'
  if (country === null) return { decided: { rule, outcome: 'skip', facts: { because: 'no_country' } } }
  if (countries.includes(country) === (mode === 'block')) {
    const facts = { because: 'blocked', country } as const
    return refuse({ rule, outcome: 'refuse', facts }, 'GeoBlockedError', { country })
  }
  return { decided: { rule, outcome: 'pass', facts: { because: 'allowed', country } } }
}
