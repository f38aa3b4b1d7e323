export { findAppById, isOfLivingApp, lockApp, markDeleted } from './app-store.ts'
export {
  appsOfCompany,
  endpointsOfApp,
  exceptionsOfCompany,
  limitReached,
  providersOfCompany,
  providersOfOperator,
  teamOfCompany,
} from './bounds.ts'
export { findCompany, insertCompany, listCompanyIds, lockCompany, markClosed } from './company-store.ts'
export { createDirectory, type Directory } from './directory.ts'
export { keptByTenancy } from './kept.ts'
export { KeyUses } from './key-uses.ts'
export {
  changeApp,
  createApp,
  deleteApp,
  getApp,
  listApps,
  pauseApp,
  resumeApp,
} from './manage-apps.ts'
export { changeCompany, listCompanies } from './manage-companies.ts'
export { createKey, listKeys, revokeKey } from './manage-keys.ts'
export {
  getRules,
  listRuleRevisions,
  parseRevision,
  putRules,
  type RuleDraft,
  restoreRules,
} from './manage-rules.ts'
export { assertNotOwn, ownCompanyId } from './own-company.ts'
export {
  type App,
  type AppInForce,
  type AppRef,
  type Company,
  inForce,
  type Principal,
  type RuleRevision,
} from './tenancy.ts'
