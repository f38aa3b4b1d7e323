/** Who is told when something is wrong, for a company and for the installation. */
import type { AlertsAnswer } from '@countersign/contract'
import {
  type AlertsView,
  getAlerts,
  type ManageAlertsDependencies,
  putAlerts,
  rotateAlertSecret,
  testAlerts,
} from '../../domain/alerts/index.ts'
import { type Owner, operatorOwner } from '../../platform/tenant.ts'
import type { Once } from '../once.ts'
import { type Route, route } from '../route.ts'

export function alertRoutes(dependencies: ManageAlertsDependencies): Route[] {
  const read = async (ownerId: Owner) => alertsAnswer(await getAlerts(dependencies, ownerId), null)
  const put = async (ownerId: Owner, body: Parameters<typeof putAlerts>[2]) => {
    const { secret, ...view } = await putAlerts(dependencies, ownerId, body)
    return alertsAnswer(view, secret)
  }
  const test = async (ownerId: Owner) => ({
    results: (await testAlerts(dependencies, ownerId)).map(({ kind, isNotified, detail }) => ({
      kind,
      ok: isNotified,
      detail,
    })),
  })
  const rotate = (ownerId: Owner, once: Once) =>
    once(async (database) => ({
      signing_secret: await rotateAlertSecret({ ...dependencies, database }, ownerId),
    }))
  return [
    route('getAlerts', ({ scope }) => read(scope.companyId)),
    route('putAlerts', ({ scope, body }) => put(scope.companyId, body)),
    route('testAlerts', ({ scope }) => test(scope.companyId)),
    route('rotateAlertSecret', ({ scope }, _actor, once) => rotate(scope.companyId, once)),
    route('getOperatorAlerts', () => read(operatorOwner)),
    route('putOperatorAlerts', ({ body }) => put(operatorOwner, body)),
    route('testOperatorAlerts', () => test(operatorOwner)),
    route('rotateOperatorAlertSecret', (_, _actor, once) => rotate(operatorOwner, once)),
  ]
}

const alertsAnswer = ({ channels, rules, alerts }: AlertsView, secret: string | null): AlertsAnswer => ({
  channels: [...channels],
  rules: { ...rules },
  signing_secret: secret,
  active: alerts.map(({ since, ...alert }) => ({ ...alert, since: since.toISOString() })),
})
