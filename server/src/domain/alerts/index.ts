export { keptByAlerts } from './kept.ts'
export {
  type AlertsView,
  getAlerts,
  type ManageAlertsDependencies,
  putAlerts,
  testAlerts,
} from './manage-alerts.ts'
export { type AlertDependencies, watchAlerts } from './watch.ts'
