export { keptByAlerts } from './kept.ts'
export {
  type AlertsView,
  getAlerts,
  type ManageAlertsDependencies,
  putAlerts,
  rotateAlertSecret,
  testAlerts,
} from './manage-alerts.ts'
export { forgetOwner } from './store.ts'
export { type AlertDependencies, watchAlerts } from './watch.ts'
