-- The whole schema. Ids are text and ordered by time ("C" collation), so a table that grows is partitioned by day along
-- its own id, and a lookup by id touches one partition.
--
-- Every row of a tenant has `company_id`, first in its primary key and in its indexes, and every statement on such rows
-- names it (`platform/tenant.ts` refuses others). The few indexes that begin otherwise say why.

create table companies (
  company_id text collate "C" primary key,
  name text not null,
  metered boolean not null,
  balance_micros bigint not null default 0 check (balance_micros >= 0),
  -- If true, members see the company only after they have used a passkey.
  passkey_required boolean not null default false,
  -- Set when the company is closed: no call finds it from then on, its data is erased bit by bit, and its ledger
  -- becomes one sum.
  closed_at timestamptz,
  erased_at timestamptz,
  created_at timestamptz not null default now()
);
create index companies_by_name on companies (lower(name), company_id);
-- Over all companies: upkeep looks for companies that are left to erase.
create index companies_closed on companies (closed_at) where closed_at is not null and erased_at is null;

create table apps (
  company_id text collate "C" not null references companies,
  app_id text collate "C" not null,
  name text not null,
  settings jsonb not null,
  revision integer not null default 1,
  -- The app's own rules that are in force, and their revision.
  rules jsonb not null default '[]',
  rules_revision integer not null default 0,
  -- While set, the app refuses every new send.
  paused_at timestamptz,
  -- Set when the app is deleted: no call finds it from then on, its data is erased bit by bit, and this row last.
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (company_id, app_id),
  -- By default the audience of a proof is the id of its own app, so no other app may set such an id as its audience.
  constraint apps_audience_is_no_app check (settings #>> '{proof,audience}' not like 'app\_%')
);
-- A key and a path of the management API name an app without its company.
create index apps_by_id on apps (app_id);
-- Over all companies: upkeep looks for apps that are left to erase.
create index apps_deleted on apps (deleted_at) where deleted_at is not null;

-- Earlier rules of an app. A row is never changed; the last hundred are kept.
create table rule_revisions (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  revision integer not null,
  rules jsonb not null,
  -- Null for the operator's token.
  person_id text collate "C",
  restored_from integer,
  created_at timestamptz not null default now(),
  primary key (company_id, app_id, revision),
  foreign key (company_id, app_id) references apps
);

create table keys (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  key_id text collate "C" not null,
  kind text not null check (kind in ('server', 'publishable')),
  name text,
  key_hash bytea not null,
  -- The parts of the key that people may see, to tell it from others.
  first_characters text not null,
  last_characters text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (company_id, app_id, key_id),
  unique (company_id, app_id, key_hash),
  foreign key (company_id, app_id) references apps
);
-- The management API names a key by its id alone.
create index keys_by_id on keys (key_id);

-- How many calls each key made and how many of them were refused, by hour; each node adds its own counts.
create table key_counts (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  key_id text collate "C" not null,
  hour timestamptz not null,
  calls integer not null,
  errors integer not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, key_id, hour)
);
create index key_counts_expiring on key_counts (expires_at);

create table verifications (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  otp_id text collate "C" not null,
  status text not null check (status in ('pending', 'approved', 'failed')),
  recipient_type text not null check (recipient_type in ('phone', 'email')),
  recipient bytea,
  recipient_hash bytea,
  masked_recipient text not null,
  country text,
  locale text not null,
  -- The name that its messages use for the app; null for the app's own name.
  called text,
  channel text not null,
  link_mode text check (link_mode in ('link_code', 'link_inbound')),
  link_number text,
  data_key smallint not null,
  code_version smallint not null,
  code_length smallint not null,
  code_mac bytea not null,
  attempts smallint not null default 0,
  max_attempts smallint not null,
  -- When wrong codes were entered: while an app has an alarm, the next guess has to wait.
  guessed_at timestamptz[] not null default '{}',
  sends smallint not null default 1,
  max_sends smallint not null,
  client_ip inet,
  ip_key text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  resend_at timestamptz not null,
  verified_at timestamptz,
  approved_by text,
  replay_until timestamptz,
  -- Set if it failed because somebody cancelled it, not because its attempts were used up.
  cancelled_at timestamptz,
  -- The price of all its messages in the hour of the last one by the price book, without those that failed. An approval
  -- gives this back.
  spend_micros bigint not null default 0,
  spend_at timestamptz,
  -- The event of its end, which is found by its own id, without one more index on a table that is written often.
  event_id text collate "C",
  primary key (company_id, app_id, otp_id)
) partition by range (otp_id);
-- Without the app: erasure and support look for a person in the whole company. Partial, so that only queries for a
-- recipient use it: without statistics of a new day the planner takes it to be as good as the primary key, and would
-- scan it for a guess.
create index verifications_of_recipient on verifications (company_id, recipient_hash, otp_id) where recipient_hash is not null;
-- The management API names a verification by its id alone, and figures are gathered over all apps by time. It is on an
-- expression, so that a list of one app, which is ordered by id too, is never read along this index through all apps.
create index verifications_by_id on verifications (substr(otp_id, 5));

create table deliveries (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  delivery_id text collate "C" not null,
  otp_id text collate "C" not null,
  channel text not null,
  country text,
  provider_id text not null,
  code_version smallint not null,
  -- The provider's id of the message that this one answers. A provider's ids (`message_id` too) may contain the
  -- recipient: they are sealed, found by a hash, and removed once the recipient is erased.
  reply_to bytea,
  status text not null check (status in ('queued', 'sent', 'delivered', 'failed')),
  attempt integer not null default 0,
  -- When it is due or, while a worker holds it, until when; null when there is nothing left to do.
  next_attempt_at timestamptz,
  give_up_at timestamptz not null,
  price_micros bigint not null check (price_micros >= 0),
  -- Its price by the price book, even if the company is not metered.
  spend_micros bigint not null default 0,
  charge text not null check (charge in ('reserved', 'captured', 'returned')),
  tried text[] not null default '{}',
  -- The worker that is handing it over, and when it was taken over from a dead worker: it may have left twice.
  held_by text collate "C",
  taken_over_at timestamptz,
  message_id bytea,
  message_hash bytea,
  -- What the person read, with the code masked; null if the provider has its own text.
  sent_text text,
  error_code text,
  error_message text,
  created_at timestamptz not null,
  sent_at timestamptz,
  updated_at timestamptz not null,
  event_id text collate "C",
  primary key (company_id, app_id, delivery_id)
) partition by range (delivery_id);
create index deliveries_of_verification on deliveries (company_id, app_id, otp_id, delivery_id);
-- For people who look for errors; deliveries without one are not in it.
create index deliveries_with_error on deliveries (company_id, app_id, otp_id, status, error_code) where error_code is not null;
-- Receipts name a delivery by its id alone, or by the provider's id of the message; an account of the operator serves
-- every company.
create index deliveries_by_id on deliveries (delivery_id);
create index deliveries_by_message on deliveries (provider_id, message_hash) where message_hash is not null;
-- Waiting deliveries are found by company and account, so that those for a busy account delay nobody else's. Deliveries
-- that the accepting node hands over from memory are never in it. Neither this nor the next index contains the status:
-- it changes with each receipt, which then updates no index.
create index deliveries_waiting on deliveries (company_id, provider_id, next_attempt_at)
  where next_attempt_at is not null and held_by is null;
-- Deliveries of a dead worker are found by its id, over all companies.
create index deliveries_held on deliveries (held_by, next_attempt_at) where held_by is not null;

-- Processes that hand over messages and events; they belong to no company. A worker that is missing here or expired has
-- died.
create table workers (
  worker_id text collate "C" primary key,
  expires_at timestamptz not null
);
create index workers_expiring on workers (expires_at);

-- The operator's own verifications, for each account: when the next is due, and the result of the last. They belong to
-- no company.
create table canaries (
  account text collate "C" primary key,
  next_at timestamptz not null,
  ended_at timestamptz,
  failed_step text,
  detail text,
  failing_since timestamptz,
  steps json not null default '[]',
  expires_at timestamptz not null
);
create index canaries_expiring on canaries (expires_at);

-- Receipts that came before it was written that their message was sent. The company is the account's owner, or
-- 'operator'.
create table early_receipts (
  company_id text collate "C" not null,
  provider_id text collate "C" not null,
  -- The keyed hash of the provider's id of the message, or the id of the delivery.
  name bytea not null,
  status text not null check (status in ('delivered', 'failed')),
  error_code text,
  error_message text,
  unreachable boolean not null,
  is_swept boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, provider_id, name, status)
);
create index early_receipts_expiring on early_receipts (expires_at);
-- Over all companies: a crash leaves few of them, and each is looked at once more.
create index early_receipts_unswept on early_receipts (created_at) where not is_swept;

-- One row for each endpoint that takes the event, inserted as waiting and due at once. If no endpoint takes it, one row
-- without an endpoint, with the status skipped.
create table events (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  event_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  type text not null,
  otp_id text collate "C" not null,
  delivery_id text collate "C",
  body text not null,
  created_at timestamptz not null default now(),
  status text not null default 'waiting'
    check (status in ('waiting', 'sending', 'delivered', 'failed', 'expired', 'skipped')),
  attempt integer not null default 0,
  -- When it is due or, while a worker sends it, until when it certainly belongs to that worker.
  next_attempt_at timestamptz not null default now(),
  -- The worker that is sending it: another takes over only if this one has not been heard of.
  held_by text collate "C",
  -- First attempts, and events that are sent after a pause, come before old retries.
  is_retry boolean not null default false,
  -- False for a replay that a person asked for: it gets one attempt, whatever its outcome.
  is_retried boolean not null default true,
  is_test boolean not null default false,
  -- The successful attempt: most events have no other, and so no row in event_attempts.
  taken_at timestamptz,
  taken_status smallint,
  taken_ms integer,
  taken_answer text,
  -- The parts of its headers that differ between attempts: timestamp and signatures.
  taken_signed text,
  primary key (company_id, app_id, event_id, endpoint_id)
) partition by range (event_id);
create index events_waiting on events (company_id, app_id, endpoint_id, is_retry, next_attempt_at, event_id) where status = 'waiting';
create index events_sending on events (company_id, app_id, endpoint_id, next_attempt_at) where status = 'sending';
-- The management API names an event by its id alone.
create index events_by_id on events (event_id);

create table event_attempts (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  event_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  attempt integer not null,
  at timestamptz not null,
  status integer,
  latency_ms integer not null,
  answer text,
  error text,
  signed text not null,
  primary key (company_id, app_id, event_id, endpoint_id, attempt, at)
) partition by range (event_id);

create table webhook_endpoints (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  url text not null,
  -- Null for all types.
  types text[] check (cardinality(types) > 0),
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  -- 'probing': enabled again; one event alone decides whether the rest follows.
  status text not null check (status in ('active', 'probing', 'paused')),
  paused_at timestamptz,
  reason text,
  -- When it was last enabled again, if ever: the events that it missed until then follow slowly.
  enabled_at timestamptz,
  failures integer not null default 0,
  last_success_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (company_id, app_id, endpoint_id),
  foreign key (company_id, app_id) references apps
);

create table decisions (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  decision_id text collate "C" not null,
  otp_id text collate "C" not null,
  kind text not null check (kind in ('send', 'resend')),
  -- The kind of the key that asked: a rule may depend on it, and so may its backtest.
  key_kind text check (key_kind in ('server', 'publishable')),
  rules json not null,
  created_at timestamptz not null,
  primary key (company_id, app_id, decision_id)
) partition by range (decision_id);
create index decisions_of_verification on decisions (company_id, app_id, otp_id, decision_id);

-- Sends and resends that were refused. Up to a rate each has its own row; beyond it equal ones share a row, which shows
-- recipient, address, verification and facts of the first, and the number of them in `count`.
create table refusals (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  refusal_id text collate "C" not null,
  kind text not null check (kind in ('send', 'resend')),
  -- Set for a resend.
  otp_id text collate "C",
  error_type text not null,
  rule text not null,
  facts json not null,
  masked_recipient text not null,
  -- Null if the text was not a recipient, and once the recipient is erased.
  recipient_hash bytea,
  -- Also null if refusals of several countries, channels or keys share the row.
  country text,
  channel text,
  key_id text collate "C",
  client_ip inet,
  -- What all `count` messages would have cost by the price book; null if the channel is not known.
  price_micros bigint,
  count bigint not null,
  created_at timestamptz not null,
  primary key (company_id, app_id, refusal_id)
) partition by range (refusal_id);
create index refusals_by_rule on refusals (company_id, app_id, rule, refusal_id);
create index refusals_by_type on refusals (company_id, app_id, error_type, refusal_id);
create index refusals_by_country on refusals (company_id, app_id, country, refusal_id) where country is not null;
-- Without the app: erasure and support look for a person in the whole company.
create index refusals_of_recipient on refusals (company_id, recipient_hash, refusal_id) where recipient_hash is not null;
create index refusals_of_verification on refusals (company_id, app_id, otp_id, refusal_id) where otp_id is not null;

-- How many refusals there were, by hour and by day: written together with them, and kept for longer.
create table refusal_counts (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  span text not null check (span in ('hour', 'day')),
  starts_at timestamptz not null,
  rule text not null,
  -- Empty for those without a country, `*` if refusals of several countries were counted together.
  country text collate "C" not null default '',
  -- The place that the guard had closed, named as in a block; empty for refusals of other rules.
  level text collate "C" not null default '',
  place text collate "C" not null default '',
  count bigint not null,
  price_micros bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, span, starts_at, rule, country, level, place)
) with (fillfactor = 80);
create index refusal_counts_expiring on refusal_counts (expires_at);

-- Errors that callers with a key got: the last hundred of each kind, without what the callers sent.
create table call_errors (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  error_id text collate "C" not null,
  key_id text collate "C" not null,
  -- Method and path, without ids.
  endpoint text not null,
  status smallint not null,
  type text not null,
  message text not null,
  details json not null,
  request_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, error_id)
);
create index call_errors_by_kind on call_errors (company_id, app_id, key_id, endpoint, status, type, error_id);
create index call_errors_expiring on call_errors (expires_at);

-- How many errors there were of each kind, by hour.
create table call_error_counts (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  starts_at timestamptz not null,
  key_id text collate "C" not null,
  endpoint text not null,
  status smallint not null,
  type text not null,
  count bigint not null,
  last_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, starts_at, key_id, endpoint, status, type)
) with (fillfactor = 80);
create index call_error_counts_expiring on call_error_counts (expires_at);

-- Without a foreign key to the company: each message has two entries, and the check for each would lock the company's
-- row beside the batch that holds it. Companies are never deleted.
create table ledger (
  company_id text collate "C" not null,
  entry_id text collate "C" not null,
  kind text not null check (kind in ('credit', 'reserve', 'capture', 'return', 'carried')),
  amount_micros bigint not null,
  otp_id text,
  delivery_id text,
  note text,
  created_at timestamptz not null default now(),
  primary key (company_id, entry_id)
);

create table idempotency_keys (
  company_id text collate "C" not null,
  key_hash bytea not null,
  recipient_hash bytea not null,
  answer bytea not null,
  expires_at timestamptz not null,
  primary key (company_id, key_hash)
);
create index idempotency_keys_expiring on idempotency_keys (expires_at);

-- Answers of management calls, for repeats with the same idempotency key. A row is committed with the change that it
-- answers; `answer` is empty only within that transaction. `company_id` is whose thing the call is about.
create table change_replays (
  company_id text collate "C" not null,
  key_hash bytea not null,
  request_hash bytea not null,
  answer bytea not null,
  expires_at timestamptz not null,
  primary key (company_id, key_hash)
);
create index change_replays_expiring on change_replays (expires_at);

-- One row for each thing that is limited. `state` holds the times of counted calls, or the single time of a rate.
create table limits (
  company_id text collate "C" not null,
  limit_key bytea not null,
  state bigint[] not null,
  expires_at timestamptz not null,
  primary key (company_id, limit_key)
) with (fillfactor = 70);
create index limits_expiring on limits (expires_at);

create table tokens (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  token_hash bytea not null,
  otp_id text collate "C" not null,
  exchanged_by text,
  expires_at timestamptz not null,
  primary key (company_id, app_id, token_hash)
);
create index tokens_expiring on tokens (expires_at);

-- References in the texts of wa.me links. The owner is the company that owns the WhatsApp number, or 'operator': an
-- inbound message has the number, but not whose verification it is for.
create table links (
  owner_id text collate "C" not null,
  number text not null,
  reference_hash bytea not null,
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  otp_id text collate "C" not null,
  code_version smallint not null,
  answered bytea[] not null default '{}',
  expires_at timestamptz not null,
  primary key (owner_id, number, reference_hash)
);
create index links_expiring on links (expires_at);

-- Recipients that a provider called unreachable.
create table unreachable (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  recipient_hash bytea not null,
  channel text not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, recipient_hash, channel)
);
create index unreachable_expiring on unreachable (expires_at);

-- Recipients that somebody has blocked in all apps of a company, or lets past the guard for a day.
create table exceptions (
  company_id text collate "C" not null,
  recipient_hash bytea not null,
  exception_id text collate "C" not null,
  kind text not null check (kind in ('blocked', 'allowed')),
  masked_recipient text not null,
  -- Null for the operator's token.
  person_id text collate "C",
  created_at timestamptz not null,
  -- Null if it stays until somebody lifts it.
  expires_at timestamptz,
  primary key (company_id, recipient_hash)
);
create index exceptions_by_company on exceptions (company_id, exception_id);
create index exceptions_expiring on exceptions (expires_at);

-- Provider accounts. The company is the owner, or 'operator'. Credentials are sealed and never read back.
create table providers (
  company_id text collate "C" not null,
  provider_id text collate "C" not null,
  channel text not null,
  kind text not null,
  name text,
  settings jsonb not null,
  secrets bytea not null,
  countries text[],
  priority integer not null default 100,
  enabled boolean not null default true,
  revision integer not null default 1,
  -- What the provider charges for a message: {default, countries}; null to use the price book.
  costs jsonb,
  -- When somebody last sent test messages with it.
  tested_at timestamptz[] not null default '{}',
  created_at timestamptz not null default now(),
  primary key (company_id, provider_id)
);
-- The management API names an account by its id alone.
create index providers_by_id on providers (provider_id);

-- The state of an account with its current settings: facts to which every node adds once a second, judged when they are
-- read. The company is the owner, or 'operator'.
create table provider_states (
  company_id text collate "C" not null,
  provider_id text collate "C" not null,
  -- The revision of the account: what it did with earlier settings says nothing about the current ones.
  revision integer not null,
  -- The state of its connection, if it keeps one, and when a node last reported it.
  link text check (link in ('up', 'connecting', 'down')),
  link_since timestamptz,
  link_at timestamptz,
  is_link_new boolean not null default false,
  -- The number of errors in a row.
  errors integer not null default 0,
  first_error_at timestamptz,
  is_broken boolean not null default false,
  answered_at timestamptz,
  up_since timestamptz,
  error_code text,
  error_message text,
  error_at timestamptz,
  expires_at timestamptz not null,
  primary key (company_id, provider_id, revision)
) with (fillfactor = 80);
create index provider_states_expiring on provider_states (expires_at);

-- The results of an app's messages over one account, by channel and country ('' for email addresses). Every node adds
-- to it once a second. The sums are since the row began; the memories fade, as domain/routing/learned/memory.ts says.
create table route_counts (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  channel text collate "C" not null,
  country text collate "C" not null,
  provider_id text collate "C" not null,
  sends bigint not null,
  delivered bigint not null,
  failed bigint not null,
  approved bigint not null,
  approve_ms bigint not null,
  saved_micros bigint not null,
  ripe_10 float8 not null,
  approved_10 float8 not null,
  ripe_25 float8 not null,
  approved_25 float8 not null,
  ripe_100 float8 not null,
  approved_100 float8 not null,
  ripe_1600 float8 not null,
  approved_1600 float8 not null,
  -- How clearly a drop was seen lately.
  fell float8 not null,
  -- When the memories last faded.
  learned_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, channel, country, provider_id)
) with (fillfactor = 70);
create index route_counts_expiring on route_counts (expires_at);

-- What an account sent in each minute, for the figures of the last hour.
create table provider_minutes (
  company_id text collate "C" not null,
  provider_id text collate "C" not null,
  since timestamptz not null,
  sent integer not null,
  failed integer not null,
  accepted integer not null,
  accept_ms bigint not null,
  delivered integer not null,
  timed integer not null,
  deliver_ms bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, provider_id, since)
) with (fillfactor = 80);
create index provider_minutes_expiring on provider_minutes (expires_at);

-- Debts of places. A row holds one place of an app (a country, a carrier, an address, or a range of ten thousand
-- numbers with the smaller ranges in it); ranges of numbers are named by a keyed hash. Everything is written under the
-- lock of the company's row.
create table pumping_states (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  row_key text collate "C" not null,
  -- Our own text format: JSON of that many numbers costs several times as much.
  state text not null,
  blocked_until timestamptz,
  expires_at timestamptz not null,
  primary key (company_id, app_id, row_key)
) with (fillfactor = 48);
create index pumping_states_expiring on pumping_states (expires_at);
create index pumping_states_blocked on pumping_states (company_id, app_id, blocked_until) where blocked_until is not null;

-- What the guard knows about a recipient: trust, and the send that an approval would pay back.
create table pumping_acquaintances (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  recipient_hash bytea not null,
  acquaintance text not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, recipient_hash)
) with (fillfactor = 80);
create index pumping_acquaintances_expiring on pumping_acquaintances (expires_at);

-- Approvals that no batch has taken into account yet: one row for those of an app that were judged together. Whoever
-- approves only inserts here, so that an approval waits for nobody.
create table pumping_approvals (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  -- The id of the first of them.
  otp_id text collate "C" not null,
  recipient_hashes bytea[] not null,
  approved_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, otp_id)
);
create index pumping_approvals_expiring on pumping_approvals (expires_at);

-- The highest debt of places of an app, and how many sends they held back, in steps of five minutes. For people to
-- read; no decision depends on it. Only for places that owed much or held something back; ranges of numbers are named
-- by a keyed hash, and the label that people see is sealed.
create table pumping_history (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  since timestamptz not null,
  place text collate "C" not null,
  level text not null,
  label text not null,
  debt real not null,
  threshold real not null check (threshold > 0),
  held integer not null,
  -- Sends that would have been held back if the guard did more than watch.
  watched integer not null,
  expires_at timestamptz not null,
  -- What both would have cost by the price book.
  held_micros bigint not null default 0,
  watched_micros bigint not null default 0,
  primary key (company_id, app_id, since, place)
) with (fillfactor = 80);
create index pumping_history_expiring on pumping_history (expires_at);

-- What an app has spent in one UTC day and country ('day:GB'; 'day:' for messages without a country), or in one hour
-- ('hour'). Written under the lock of the company's row.
create table spend_counters (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  name text collate "C" not null,
  since timestamptz not null,
  spent_micros bigint not null,
  approved_micros bigint not null,
  -- The most that was approved in such a period in the two weeks before, and what was spent in that period.
  best_micros bigint not null,
  best_spent_micros bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, name, since)
) with (fillfactor = 80);
create index spend_counters_expiring on spend_counters (expires_at);

-- Money that was returned, and money whose verification was approved, since the last batch. Whoever approves or fails a
-- delivery only inserts here, so that neither waits for a batch.
create table spend_notes (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  otp_id text collate "C" not null,
  -- Empty for an approval.
  delivery_id text collate "C" not null,
  country text,
  sent_at timestamptz not null,
  spent_micros bigint not null,
  approved_micros bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, otp_id, delivery_id)
);
create index spend_notes_expiring on spend_notes (expires_at);

-- Guesses of an app in steps of five minutes; each node adds its own once a second.
create table guess_counts (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  since timestamptz not null,
  guesses bigint not null,
  failures bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, since)
) with (fillfactor = 80);
create index guess_counts_expiring on guess_counts (expires_at);

-- Apps in which far more wrong codes than usual are entered. An alarm is over when it expires.
create table guess_alarms (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  raised_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id)
);
create index guess_alarms_expiring on guess_alarms (expires_at);

-- Counts by hour and day, so that a month is read without reading its verifications.
create table figures (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  -- Each day is stored besides its hours, so that a year is read without reading hours.
  span text not null check (span in ('hour', 'day')),
  starts_at timestamptz not null,
  channel text not null,
  -- 'none' for messages without a country.
  country text not null,
  sends integer not null,
  messages integer not null,
  delivered integer not null,
  failed integer not null,
  approvals integer not null,
  cost_micros bigint not null,
  -- Times to approve: the numbers of the buckets, and how many fell into each.
  approve_buckets smallint[] not null,
  approve_counts integer[] not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, span, starts_at, channel, country)
);
create index figures_expiring on figures (expires_at);

-- Counts of the same verifications by the channel on which they began, by account, and by error code.
create table way_figures (
  company_id text collate "C" not null,
  app_id text collate "C" not null,
  span text not null check (span in ('hour', 'day')),
  starts_at timestamptz not null,
  way text not null check (way in ('channel_started', 'provider', 'error')),
  key text not null,
  sends integer not null,
  messages integer not null,
  delivered integer not null,
  failed integer not null,
  approvals integer not null,
  cost_micros bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, app_id, span, starts_at, way, key)
);
create index way_figures_expiring on way_figures (expires_at);

-- Everything that was started or sent before this time is in the figures, exactly once.
create table figures_progress (
  singleton boolean primary key default true check (singleton),
  gathered_to timestamptz not null
);
insert into figures_progress (gathered_to) values (date_trunc('hour', now(), 'UTC'));

-- Who is told when something is wrong, and about what. The company is the owner, or 'operator'.
create table alert_settings (
  company_id text collate "C" primary key,
  -- Sealed: email addresses of people, and URLs of hooks that accept whatever is posted to them.
  channels bytea not null,
  has_channels boolean not null,
  rules jsonb not null,
  -- Signs what goes to webhooks, together with the previous secret for a while.
  secret bytea,
  previous_secret bytea,
  previous_until timestamptz,
  -- When to look next, on one node at a time.
  next_at timestamptz not null default now(),
  tested_at timestamptz[] not null default '{}'
);
-- Over all companies: whose turn it is.
create index alert_settings_due on alert_settings (next_at) where has_channels;

-- Alerts that are on. A row is inserted when a problem begins and deleted when it is over, each time with the notices
-- about it.
create table alert_states (
  company_id text collate "C" not null,
  rule text not null,
  subject text not null,
  severity text not null,
  message text not null,
  since timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  primary key (company_id, rule, subject)
);

-- Notices to one channel, until they are sent.
create table alert_notices (
  company_id text collate "C" not null,
  notice_id text collate "C" not null,
  rule text not null,
  subject text not null,
  is_recovery boolean not null,
  channel bytea not null,
  channel_key text not null,
  body text not null,
  attempt integer not null default 0,
  -- Null when there is nothing left to do.
  next_attempt_at timestamptz,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  primary key (company_id, notice_id)
);
-- Over all companies: notices that are due.
create index alert_notices_due on alert_notices (next_attempt_at) where next_attempt_at is not null;
create index alert_notices_expiring on alert_notices (expires_at);

-- People who use the dashboard. Their email addresses are sealed, and found by a keyed hash.
create table people (
  person_id text collate "C" primary key,
  email bytea not null,
  email_hash bytea not null unique,
  name text,
  is_operator boolean not null default false,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz
);

create table members (
  company_id text collate "C" not null references companies,
  person_id text collate "C" not null references people,
  role text not null check (role in ('viewer', 'developer', 'owner')),
  joined_at timestamptz not null default now(),
  primary key (company_id, person_id)
);
create index members_of_person on members (person_id, company_id);

create table invitations (
  company_id text collate "C" not null,
  invitation_id text collate "C" not null,
  email bytea not null,
  email_hash bytea not null,
  role text not null check (role in ('viewer', 'developer', 'owner')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (company_id, invitation_id),
  unique (company_id, email_hash)
);
create index invitations_of_person on invitations (email_hash);
create index invitations_expiring on invitations (expires_at);

create table sessions (
  person_id text collate "C" not null,
  session_id text collate "C" not null,
  token_hash bytea not null unique,
  -- The token before the last rotation: the answer with the new one can get lost.
  previous_hash bytea,
  rotated_at timestamptz not null default now(),
  user_agent text,
  address inet,
  -- When and how the person last proved who they are: by a code, a link or a passkey.
  proven_at timestamptz not null default now(),
  proofs text[] not null default '{}',
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- The earlier of "not used for a day" and "thirty days old".
  expires_at timestamptz not null,
  primary key (person_id, session_id)
);
create index sessions_by_previous on sessions (previous_hash) where previous_hash is not null;
create index sessions_expiring on sessions (expires_at);

create table sign_in_links (
  token_hash bytea primary key,
  -- The id that lists show, and by which it is revoked.
  link_id text collate "C" not null unique,
  person_id text collate "C" not null,
  -- Whether the person who uses it becomes an operator.
  makes_operator boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sign_in_links_expiring on sign_in_links (expires_at);

-- Public keys that people sign in with, and when each was last used. They belong to a person, whatever the company.
create table passkeys (
  person_id text collate "C" not null references people,
  passkey_id text collate "C" not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- How often the key has signed, by its own count; zero if it does not count.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  is_backed_up boolean not null,
  -- The counter went backwards: two devices may have the key.
  is_suspect boolean not null default false,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (person_id, passkey_id)
);

-- Challenges for a passkey to sign, once and soon.
create table passkey_challenges (
  challenge text collate "C" primary key,
  purpose text not null check (purpose in ('sign_in', 'prove', 'register')),
  -- Null if the person is not known yet.
  person_id text collate "C",
  expires_at timestamptz not null
);
create index passkey_challenges_expiring on passkey_challenges (expires_at);

-- The audit trail as chains: one for each company and, under the empty id, one for the installation. A row is never
-- changed: the outcome of a change is another row. Each row carries a keyed hash over itself and the one before.
create table audit_chains (
  -- Empty for the installation's own chain.
  company_id text collate "C" primary key,
  -- The last row, and a keyed hash over its position and hash, which nobody who cuts the chain short can make.
  position bigint not null default 0,
  mac bytea not null default '',
  seal bytea not null default '',
  data_key integer not null default 1,
  -- The last row that retention deleted, sealed in the same way: the remaining rows begin after it.
  anchor_position bigint not null default 0,
  anchor_mac bytea not null default '',
  anchor_seal bytea not null default ''
);

create table audit_entries (
  company_id text collate "C" not null,
  position bigint not null,
  audit_id text collate "C" not null,
  -- The entry whose outcome this row records; null if the row is an entry itself.
  settles text collate "C",
  -- Null if a later row records it, or none because the process ended before.
  outcome text check (outcome in ('done', 'refused')),
  -- The type of the refusal.
  error_type text,
  -- For a change that created a company: recorded in the installation's chain, and copied to the company's.
  is_copy boolean not null default false,
  actor text not null check (actor in ('person', 'token', 'command_line', 'stranger')),
  person_id text collate "C",
  action text not null,
  app_id text collate "C",
  subject text,
  changes json not null,
  address text,
  request_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  data_key integer not null,
  mac bytea not null,
  primary key (company_id, position)
);
create unique index audit_entries_by_company on audit_entries (company_id, audit_id);
create index audit_entries_of_person on audit_entries (company_id, person_id, audit_id) where person_id is not null;
create index audit_entries_outcomes on audit_entries (company_id, settles) where settles is not null;
create index audit_entries_by_id on audit_entries (audit_id);
create index audit_entries_expiring on audit_entries (expires_at);

-- What belongs to the operator alone: tables of one or a few rows.
create table prices (
  singleton boolean primary key default true check (singleton),
  book jsonb not null
);

create table data_keys (
  data_key smallint primary key,
  wrapped bytea not null,
  wrapped_by text not null,
  active_from timestamptz not null
);

-- Keys that sign proofs, sealed by a data key.
create table signing_keys (
  number smallint primary key,
  kid text not null unique,
  sealed bytea not null,
  active_from timestamptz not null
);

-- Raised by every change of a company, app, key, price or provider: nodes read it to clear their caches.
create table changes (
  singleton boolean primary key default true check (singleton),
  revision bigint not null
);
insert into changes (revision) values (1);

-- When old partitions were last looked for and dropped, over all nodes, so that a clock that jumps is noticed, and the
-- limit for each day holds over all nodes. One row; it belongs to no company.
create table partition_upkeep (
  is_only boolean primary key default true check (is_only),
  seen_at timestamptz not null,
  held_until timestamptz,
  dropped_on date
);
insert into partition_upkeep (seen_at) values (now());

-- The installation's own company and app, through which people get their sign-in codes.
insert into companies (company_id, name, metered)
values ('cmp_0000000000dashb0ardsgn1n00', 'Countersign', false);
-- Each client address has its own limit, below that of the email address that it asks for: a stranger cannot use up
-- somebody else's codes or wrong guesses. The code has two more digits to make up for the higher limits of a recipient.
insert into apps (company_id, app_id, name, settings)
values ('cmp_0000000000dashb0ardsgn1n00', 'app_0000000000dashb0ardsgn1n00', 'Countersign',
  '{"routing": {"default": ["email"]},
    "channels": {"sms": {"enabled": false}, "whatsapp": {"enabled": false}, "telegram": {"enabled": false}},
    "code_length": 8,
    "limits": {"recipient": [{"max": 60, "window_s": 600}, {"max": 200, "window_s": 86400}],
               "recipient_failures": [{"max": 1000, "window_s": 86400}],
               "ip": [{"max": 10, "window_s": 600}, {"max": 40, "window_s": 86400}],
               "flagged_ip": [{"max": 5, "window_s": 600}],
               "app": [{"max": 600, "window_s": 60}], "app_without_ip": [{"max": 60, "window_s": 60}]}}');
-- Another app of the installation's own, which mails invitations. Its limits are below those of signing in, with which
-- it shares the count of a recipient: invitations never keep anybody from their sign-in code.
insert into apps (company_id, app_id, name, settings)
values ('cmp_0000000000dashb0ardsgn1n00', 'app_0000000000dashb0ard1nv1te0', 'Countersign',
  '{"routing": {"default": ["email"]},
    "channels": {"sms": {"enabled": false}, "whatsapp": {"enabled": false}, "telegram": {"enabled": false}},
    "max_sends": 1,
    "limits": {"recipient": [{"max": 2, "window_s": 600}, {"max": 5, "window_s": 86400}],
               "app": [{"max": 60, "window_s": 60}], "app_without_ip": [{"max": 20, "window_s": 60}]}}');
