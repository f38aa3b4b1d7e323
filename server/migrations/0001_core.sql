-- The verification core. Ids are text and time-ordered ("C" collation), so a table that grows is cut by day
-- along its own id and a lookup by id touches one partition. Every key starts with the company or the app.

create table companies (
  company_id text collate "C" primary key,
  name text not null,
  metered boolean not null,
  balance_micros bigint not null default 0 check (balance_micros >= 0),
  created_at timestamptz not null default now()
);

create table apps (
  app_id text collate "C" primary key,
  company_id text collate "C" not null references companies,
  name text not null,
  settings jsonb not null,
  revision integer not null default 1,
  created_at timestamptz not null default now()
);
create index apps_of_company on apps (company_id, app_id);

create table keys (
  app_id text collate "C" not null references apps,
  key_id text collate "C" not null,
  kind text not null check (kind in ('server', 'publishable')),
  name text,
  key_hash bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (app_id, key_id),
  unique (app_id, key_hash)
);
-- Management names a key by its id alone.
create index keys_by_id on keys (key_id);

create table verifications (
  app_id text collate "C" not null,
  otp_id text collate "C" not null,
  company_id text collate "C" not null,
  status text not null check (status in ('pending', 'approved', 'failed')),
  recipient_type text not null check (recipient_type in ('phone', 'email')),
  recipient bytea,
  recipient_hash bytea,
  masked_recipient text not null,
  country text,
  locale text not null,
  channel text not null,
  link_mode text check (link_mode in ('link_code', 'link_inbound')),
  link_number text,
  data_key smallint not null,
  code_version smallint not null,
  code_length smallint not null,
  code_mac bytea not null,
  attempts smallint not null default 0,
  max_attempts smallint not null,
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
  primary key (app_id, otp_id)
) partition by range (otp_id);
create index verifications_of_recipient on verifications (app_id, recipient_hash, otp_id);

create table deliveries (
  app_id text collate "C" not null,
  delivery_id text collate "C" not null,
  company_id text collate "C" not null,
  otp_id text collate "C" not null,
  channel text not null,
  provider_id text not null,
  code_version smallint not null,
  -- A provider's ids may spell the recipient: sealed, and found by a hash.
  reply_to bytea,
  status text not null check (status in ('queued', 'sent', 'delivered', 'failed')),
  attempt integer not null default 0,
  next_attempt_at timestamptz not null,
  give_up_at timestamptz not null,
  price_micros bigint not null check (price_micros >= 0),
  charge text not null check (charge in ('reserved', 'captured', 'returned')),
  tried text[] not null default '{}',
  message_id bytea,
  message_hash bytea,
  error_code text,
  error_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, delivery_id)
) partition by range (delivery_id);
create index deliveries_of_verification on deliveries (app_id, otp_id, delivery_id);
-- Receipts know a delivery by its id alone, or by the provider's own name for it.
create index deliveries_by_id on deliveries (delivery_id);
create index deliveries_by_message on deliveries (provider_id, message_hash) where message_hash is not null;
-- The worker takes what is due, whose app it is does not matter to it.
create index deliveries_due on deliveries (next_attempt_at) where status = 'queued';

create table events (
  app_id text collate "C" not null,
  event_id text collate "C" not null,
  company_id text collate "C" not null,
  type text not null,
  otp_id text collate "C" not null,
  delivery_id text collate "C",
  body text not null,
  created_at timestamptz not null default now(),
  primary key (app_id, event_id)
) partition by range (event_id);

create table decisions (
  app_id text collate "C" not null,
  decision_id text collate "C" not null,
  otp_id text collate "C" not null,
  kind text not null check (kind in ('send', 'resend')),
  rules json not null,
  created_at timestamptz not null,
  primary key (app_id, decision_id)
) partition by range (decision_id);
create index decisions_of_verification on decisions (app_id, otp_id, decision_id);

create table ledger (
  company_id text collate "C" not null references companies,
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

-- One row per limited thing. `state` holds the times of counted calls, or the one time of a rate.
create table limits (
  company_id text collate "C" not null,
  limit_key bytea not null,
  state bigint[] not null,
  expires_at timestamptz not null,
  primary key (company_id, limit_key)
);
create index limits_expiring on limits (expires_at);

create table tokens (
  app_id text collate "C" not null,
  token_hash bytea not null,
  otp_id text collate "C" not null,
  exchanged_by text,
  expires_at timestamptz not null,
  primary key (app_id, token_hash)
);
create index tokens_expiring on tokens (expires_at);

-- References inside wa.me texts. The company is the one that owns the WhatsApp number, or 'operator'.
create table links (
  company_id text collate "C" not null,
  number text not null,
  reference_hash bytea not null,
  app_id text collate "C" not null,
  otp_id text collate "C" not null,
  code_version smallint not null,
  answered bytea[] not null default '{}',
  expires_at timestamptz not null,
  primary key (company_id, number, reference_hash)
);
create index links_expiring on links (expires_at);

-- What a provider called unreachable.
create table unreachable (
  app_id text collate "C" not null,
  recipient_hash bytea not null,
  channel text not null,
  expires_at timestamptz not null,
  primary key (app_id, recipient_hash, channel)
);
create index unreachable_expiring on unreachable (expires_at);

-- What belongs to the operator alone: single rows and a few.
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

-- Raised by every change of a company, app, key, price or provider: nodes read it to drop what they remember.
create table changes (
  singleton boolean primary key default true check (singleton),
  revision bigint not null
);
insert into changes (revision) values (1);
