/** What `second-line.test.ts` tries: rows that are right, writes that are not, and the places that nothing holds. */
const idsOf = (who: string) => ({ company_id: `cmp_${who}`, app_id: `app_${who}`, person_id: `usr_${who}` })
export const [mine, theirs] = [idsOf('mine'), idsOf('theirs')]
export type Owner = keyof typeof mine

/** Values that the constraints of one table ask for, as SQL. */
export const particular: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deliveries: { next_attempt_at: 'now()' },
  rule_revisions: { rules: `'[]'` },
  decisions: { rules: `'[]'` },
  audit_entries: { position: '1', expires_at: `now() + interval '1 day'` },
  change_replays: { expires_at: `now() + interval '1 day'` },
  idempotency_keys: { expires_at: `now() + interval '1 day'` },
}
/** Filled first, in this order: the others refer to them. */
export const first = ['companies', 'people', 'apps']

/** The places that no foreign key holds to their owner, and why. Every read names company and app together. */
export const unheld: Readonly<Record<string, readonly string[]>> = {
  'rows are many: a check for each would cost as much as the row, and hold the days that are to be dropped': [
    ...['decisions', 'deliveries', 'events', 'event_attempts', 'refusals', 'verifications'].flatMap(ofApp),
    ...['links', 'spend_counters', 'spend_notes', 'tokens', 'unreachable'].flatMap(ofApp),
    ...['pumping_acquaintances', 'pumping_approvals', 'pumping_history', 'pumping_states'].flatMap(ofApp),
    'idempotency_keys.company_id',
    'ledger.company_id',
    'limits.company_id',
  ],
  'one statement writes the counts of many apps, and must not fail for one that is gone': [
    ...['call_error_counts', 'call_errors', 'figures', 'guess_alarms', 'guess_counts'].flatMap(ofApp),
    ...['key_counts', 'refusal_counts', 'route_counts', 'way_figures'].flatMap(ofApp),
  ],
  'the owner may be the operator, who is no company': [
    ...['alert_notices', 'alert_settings', 'alert_states', 'change_replays', 'early_receipts'],
    ...['provider_minutes', 'provider_states', 'providers'],
  ].map((table) => `${table}.company_id`),
  'it says what happened, also to what is gone, and is sealed by a hash': [
    ...ofApp('audit_entries'),
    'audit_entries.person_id',
    'audit_chains.company_id',
  ],
  'it only names who did it': ['exceptions.person_id', 'rule_revisions.person_id'],
  'nobody has signed in yet': ['passkey_challenges.person_id'],
}
function ofApp(table: string): string[] {
  return [`${table}.company_id`, `${table}.app_id`]
}

/** For each constraint that is more than a list of words, and each trigger: writes of which the last is refused. */
export const broken: Readonly<Record<string, readonly (readonly string[])[]>> = {
  apps_audience_is_no_app: [[`update apps set settings = '{"proof": {"audience": "app_other"}}'`]],
  apps_settings: [[`update apps set settings = '[]'`], [`update apps set rules = '{}'`]],
  audit_chains_anchor: [['update audit_chains set anchor_position = position + 1']],
  change_replays_hash: [[`update change_replays set key_hash = ''`]],
  changes_singleton_check: [['update changes set singleton = false']],
  companies_balance_micros_check: [['update companies set balance_micros = -1']],
  companies_erased: [['update companies set erased_at = now()']],
  decisions_rules: [[`update decisions set rules = '{}'`]],
  deliveries_end: [[`update deliveries set event_id = 'evt_x'`]],
  deliveries_due: [['update deliveries set next_attempt_at = null']],
  deliveries_paid: [
    [`update deliveries set charge = 'captured'`],
    [`update deliveries set charge = 'returned'`],
  ],
  deliveries_price_micros_check: [['update deliveries set price_micros = -1']],
  exceptions_hash: [[`update exceptions set recipient_hash = ''`]],
  figures_progress_singleton_check: [['update figures_progress set singleton = false']],
  idempotency_keys_hash: [
    [`update idempotency_keys set key_hash = ''`],
    [`update idempotency_keys set answer = ''`],
  ],
  invitations_email: [[`update invitations set email_hash = ''`]],
  keys_hash: [[`update keys set key_hash = ''`]],
  ledger_amount: [
    entry('reserve', '1'),
    entry('reserve', '0'),
    entry('capture', '1'),
    entry('return', '-1'),
    entry('return', '0'),
  ],
  ledger_delivery: [entry('capture', '0', 'null'), entry('credit', '1', `'dlv_x'`)],
  limits_key: [[`update limits set limit_key = ''`]],
  links_hash: [[`update links set reference_hash = ''`], ['update links set code_version = 0']],
  partition_upkeep_is_only_check: [['update partition_upkeep set is_only = false']],
  people_email: [[`update people set email_hash = ''`]],
  prices_singleton_check: [['update prices set singleton = false']],
  providers_settings: [[`update providers set settings = '"x"'`], [`update providers set costs = '[]'`]],
  pumping_history_threshold_check: [['update pumping_history set threshold = 0']],
  rule_revisions_rules: [
    [`insert into rule_revisions select company_id, app_id, 2, '{}' from rule_revisions`],
  ],
  sessions_hash: [[`update sessions set token_hash = ''`], [`update sessions set previous_hash = ''`]],
  sign_in_links_hash: [[`update sign_in_links set token_hash = ''`]],
  tokens_hash: [[`update tokens set token_hash = ''`]],
  unreachable_hash: [[`update unreachable set recipient_hash = ''`]],
  verifications_attempts: [
    ['update verifications set attempts = max_attempts + 1'],
    ['update verifications set max_attempts = attempts - 1'],
  ],
  verifications_end: [
    [`update verifications set status = 'approved', verified_at = now()`],
    [`update verifications set status = 'approved', event_id = 'evt_x'`],
    [`update verifications set status = 'failed', event_id = 'evt_x', verified_at = now()`],
    [`update verifications set event_id = 'evt_x'`],
    [`update verifications set approved_by = 'key_x'`],
    ['update verifications set cancelled_at = now()'],
  ],
  verifications_link: [[`update verifications set link_mode = 'link_inbound', channel = 'sms'`]],
  verifications_sends: [
    ['update verifications set sends = max_sends + 1'],
    ['update verifications set sends = 0'],
  ],
  webhook_endpoints_failures: [['update webhook_endpoints set failures = -1']],
  webhook_endpoints_secret: [[`update webhook_endpoints set secret = ''`]],
  webhook_endpoints_types_check: [[`update webhook_endpoints set types = '{}'`]],

  apps_stay: [['update apps set deleted_at = now()', 'update apps set deleted_at = null']],
  audit_chains_grow: [
    ['update audit_chains set position = 9', 'update audit_chains set position = 8'],
    [
      'update audit_chains set position = 9, anchor_position = 5',
      'update audit_chains set anchor_position = 4',
    ],
  ],
  audit_chains_stay: [['delete from audit_chains']],
  audit_entries_expire: [['delete from audit_entries']],
  audit_entries_stay: [[`update audit_entries set action = 'other'`]],
  change_replays_stay: [[`update change_replays set answer = 'other'`]],
  companies_stay: [
    ['update companies set closed_at = now()', 'update companies set closed_at = null'],
    ['update companies set closed_at = now(), erased_at = now()', 'update companies set erased_at = null'],
  ],
  data_keys_stay: [['delete from data_keys']],
  deliveries_stay: [
    [
      deliveryIn('sent'),
      `update deliveries set status = 'queued', charge = 'reserved', next_attempt_at = now()`,
    ],
    ...['delivered', 'failed'].flatMap((end) =>
      ['queued', 'sent', 'delivered', 'failed']
        .filter((next) => next !== end)
        .map((next) => [deliveryIn(end), deliveryIn(next)]),
    ),
  ],
  idempotency_keys_stay: [[`update idempotency_keys set answer = 'other'`]],
  keys_stay: [
    ['update keys set revoked_at = now()', 'update keys set revoked_at = null'],
    [`update keys set kind = case kind when 'server' then 'publishable' else 'server' end`],
    [`update keys set key_hash = 'other'`],
  ],
  ledger_stays: [['update ledger set amount_micros = 2']],
  members_keep_an_owner: [[owner(), 'delete from members']],
  members_still_have_an_owner: [[owner(), `update members set role = 'viewer'`]],
  rule_revisions_stay: [['update rule_revisions set revision = 5']],
  tokens_stay: [
    [`update tokens set exchanged_by = 'key_one'`, `update tokens set exchanged_by = 'key_other'`],
    [`update tokens set exchanged_by = 'key_one'`, 'update tokens set exchanged_by = null'],
  ],
  verifications_stay: [
    ['update verifications set attempts = 1', 'update verifications set attempts = 0'],
    ['update verifications set sends = 2, max_sends = 5', 'update verifications set sends = 1'],
    ...['approved', 'failed'].flatMap((end) =>
      ['pending', 'approved', 'failed']
        .filter((next) => next !== end)
        .map((next) => [verificationIn(end), verificationIn(next)]),
    ),
  ],
}

export function owner(): string {
  return `update members set role = 'owner'`
}
function entry(kind: string, amount: string, delivery = kind === 'credit' ? 'null' : `'dlv_x'`): string[] {
  return [
    `insert into ledger (company_id, entry_id, kind, amount_micros, delivery_id) select company_id, 'ent_x', '${kind}', ${amount}, ${delivery} from companies limit 1`,
  ]
}
function deliveryIn(status: string): string {
  const charge = { queued: 'reserved', failed: 'returned' }[status] ?? 'captured'
  const event = status === 'delivered' || status === 'failed' ? `'evt_x'` : 'null'
  return `update deliveries set status = '${status}', charge = '${charge}', event_id = ${event}, next_attempt_at = ${status === 'queued' ? 'now()' : 'null'}`
}
function verificationIn(status: string): string {
  return `update verifications set status = '${status}', event_id = ${status === 'pending' ? 'null' : `'evt_x'`}, verified_at = ${status === 'approved' ? 'now()' : 'null'}`
}
