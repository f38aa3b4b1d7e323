-- Made from the migrations by "npm run generate". For reading; the migrations are what runs.

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% of %', tg_argv[0], tg_table_name using errcode = 'integrity_constraint_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_ownerless()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked, so that of two owners who leave at once the second is refused. Nobody is waited for: whoever leaves has locked
  -- an owner who stays, and an owner whom somebody else has locked since may be leaving too, and be waiting for this.
  perform 1 from members where company_id = old.company_id and role = 'owner' for share skip locked;
  if not found and exists (select 1 from companies where company_id = old.company_id and closed_at is null) then
    raise exception 'the last owner of a company' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$;

create table alert_notices (
  company_id text not null,
  notice_id text not null,
  rule text not null,
  subject text not null,
  is_recovery boolean not null,
  channel bytea not null,
  channel_key text not null,
  body text not null,
  attempt integer not null default 0,
  next_attempt_at timestamp with time zone,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '7 days'::interval),
  PRIMARY KEY (company_id, notice_id)
);

CREATE INDEX alert_notices_due ON public.alert_notices USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX alert_notices_expiring ON public.alert_notices USING btree (expires_at);

create table alert_settings (
  company_id text not null,
  channels bytea not null,
  has_channels boolean not null,
  rules jsonb not null,
  secret bytea,
  previous_secret bytea,
  previous_until timestamp with time zone,
  next_at timestamp with time zone not null default now(),
  tested_at timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  PRIMARY KEY (company_id)
);

CREATE INDEX alert_settings_due ON public.alert_settings USING btree (next_at) WHERE has_channels;

create table alert_states (
  company_id text not null,
  rule text not null,
  subject text not null,
  severity text not null,
  message text not null,
  since timestamp with time zone not null default clock_timestamp(),
  seen_at timestamp with time zone not null default clock_timestamp(),
  PRIMARY KEY (company_id, rule, subject)
);

create table apps (
  company_id text not null,
  app_id text not null,
  name text not null,
  settings jsonb not null,
  revision integer not null default 1,
  rules jsonb not null default '[]'::jsonb,
  rules_revision integer not null default 0,
  paused_at timestamp with time zone,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (company_id, app_id),
  FOREIGN KEY (company_id) REFERENCES companies(company_id),
  CHECK (((settings #>> '{proof,audience}'::text[]) !~~ 'app\_%'::text)),
  CHECK (((jsonb_typeof(settings) = 'object'::text) AND (jsonb_typeof(rules) = 'array'::text)))
);

CREATE INDEX apps_deleted ON public.apps USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE UNIQUE INDEX apps_by_id ON public.apps USING btree (app_id);

CREATE TRIGGER apps_stay AFTER UPDATE ON public.apps FOR EACH ROW WHEN (((old.deleted_at IS NOT NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION refuse_change('an app that comes back');

create table audit_chains (
  company_id text not null,
  position bigint not null default 0,
  mac bytea not null default '\x'::bytea,
  seal bytea not null default '\x'::bytea,
  data_key integer not null default 1,
  anchor_position bigint not null default 0,
  anchor_mac bytea not null default '\x'::bytea,
  anchor_seal bytea not null default '\x'::bytea,
  PRIMARY KEY (company_id),
  CHECK (((anchor_position >= 0) AND (anchor_position <= "position")))
);

CREATE TRIGGER audit_chains_grow AFTER UPDATE ON public.audit_chains FOR EACH ROW WHEN (((new."position" < old."position") OR (new.anchor_position < old.anchor_position))) EXECUTE FUNCTION refuse_change('a step back');
CREATE TRIGGER audit_chains_stay BEFORE DELETE ON public.audit_chains FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a deleted chain');

create table audit_entries (
  company_id text not null,
  position bigint not null,
  audit_id text not null,
  settles text,
  outcome text,
  error_type text,
  is_copy boolean not null default false,
  actor text not null,
  person_id text,
  action text not null,
  app_id text,
  subject text,
  changes json not null,
  address text,
  request_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  data_key integer not null,
  mac bytea not null,
  PRIMARY KEY (company_id, "position"),
  CHECK ((actor = ANY (ARRAY['person'::text, 'token'::text, 'command_line'::text, 'stranger'::text]))),
  CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text])))
);

CREATE INDEX audit_entries_by_id ON public.audit_entries USING btree (audit_id);
CREATE INDEX audit_entries_expiring ON public.audit_entries USING btree (expires_at);
CREATE INDEX audit_entries_of_person ON public.audit_entries USING btree (company_id, person_id, audit_id) WHERE (person_id IS NOT NULL);
CREATE INDEX audit_entries_outcomes ON public.audit_entries USING btree (company_id, settles) WHERE (settles IS NOT NULL);
CREATE UNIQUE INDEX audit_entries_by_company ON public.audit_entries USING btree (company_id, audit_id);

CREATE TRIGGER audit_entries_expire AFTER DELETE ON public.audit_entries FOR EACH ROW WHEN ((old.expires_at > clock_timestamp())) EXECUTE FUNCTION refuse_change('an entry too young to go');
CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a changed entry');

create table call_error_counts (
  company_id text not null,
  app_id text not null,
  starts_at timestamp with time zone not null,
  key_id text not null,
  endpoint text not null,
  status smallint not null,
  type text not null,
  count bigint not null,
  last_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, starts_at, key_id, endpoint, status, type)
);

CREATE INDEX call_error_counts_expiring ON public.call_error_counts USING btree (expires_at);

create table call_errors (
  company_id text not null,
  app_id text not null,
  error_id text not null,
  key_id text not null,
  endpoint text not null,
  status smallint not null,
  type text not null,
  message text not null,
  details json not null,
  request_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, error_id)
);

CREATE INDEX call_errors_by_kind ON public.call_errors USING btree (company_id, app_id, key_id, endpoint, status, type, error_id);
CREATE INDEX call_errors_expiring ON public.call_errors USING btree (expires_at);

create table canaries (
  account text not null,
  next_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  failed_step text,
  detail text,
  failing_since timestamp with time zone,
  steps json not null default '[]'::json,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (account)
);

CREATE INDEX canaries_expiring ON public.canaries USING btree (expires_at);

create table change_replays (
  company_id text not null,
  key_hash bytea not null,
  request_hash bytea not null,
  answer bytea not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, key_hash),
  CHECK ((key_hash <> '\x'::bytea))
);

CREATE INDEX change_replays_expiring ON public.change_replays USING btree (expires_at);

CREATE TRIGGER change_replays_stay AFTER UPDATE ON public.change_replays FOR EACH ROW WHEN (((old.expires_at > clock_timestamp()) AND (old.answer <> '\x'::bytea) AND (new.answer <> old.answer))) EXECUTE FUNCTION refuse_change('another answer');

create table changes (
  singleton boolean not null default true,
  revision bigint not null,
  PRIMARY KEY (singleton),
  CHECK (singleton)
);

create table companies (
  company_id text not null,
  name text not null,
  metered boolean not null,
  balance_micros bigint not null default 0,
  passkey_required boolean not null default false,
  closed_at timestamp with time zone,
  erased_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (company_id),
  CHECK ((balance_micros >= 0)),
  CHECK (((erased_at IS NULL) OR (closed_at IS NOT NULL)))
);

CREATE INDEX companies_by_name ON public.companies USING btree (lower(name), company_id);
CREATE INDEX companies_closed ON public.companies USING btree (closed_at) WHERE ((closed_at IS NOT NULL) AND (erased_at IS NULL));

CREATE TRIGGER companies_stay AFTER UPDATE ON public.companies FOR EACH ROW WHEN ((((old.closed_at IS NOT NULL) AND (new.closed_at IS NULL)) OR ((old.erased_at IS NOT NULL) AND (new.erased_at IS NULL)))) EXECUTE FUNCTION refuse_change('a company that comes back');

create table data_keys (
  data_key smallint not null,
  wrapped bytea not null,
  wrapped_by text not null,
  active_from timestamp with time zone not null,
  PRIMARY KEY (data_key)
);

CREATE TRIGGER data_keys_stay BEFORE DELETE ON public.data_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a deleted key');

create table decisions (
  company_id text not null,
  app_id text not null,
  decision_id text not null,
  otp_id text not null,
  kind text not null,
  key_kind text,
  rules json not null,
  created_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, decision_id),
  CHECK ((key_kind = ANY (ARRAY['server'::text, 'publishable'::text]))),
  CHECK ((kind = ANY (ARRAY['send'::text, 'resend'::text]))),
  CHECK ((json_typeof(rules) = 'array'::text))
) partition by RANGE (decision_id);

CREATE INDEX decisions_of_verification ON ONLY public.decisions USING btree (company_id, app_id, otp_id, decision_id);

create table deliveries (
  company_id text not null,
  app_id text not null,
  delivery_id text not null,
  otp_id text not null,
  channel text not null,
  country text,
  provider_id text not null,
  code_version smallint not null,
  reply_to bytea,
  status text not null,
  attempt integer not null default 0,
  next_attempt_at timestamp with time zone,
  give_up_at timestamp with time zone not null,
  price_micros bigint not null,
  spend_micros bigint not null default 0,
  charge text not null,
  tried text[] not null default '{}'::text[],
  held_by text,
  taken_over_at timestamp with time zone,
  message_id bytea,
  message_hash bytea,
  sent_text text,
  error_code text,
  error_message text,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  event_id text,
  PRIMARY KEY (company_id, app_id, delivery_id),
  CHECK ((channel = ANY (ARRAY['sms'::text, 'whatsapp'::text, 'telegram'::text, 'email'::text]))),
  CHECK ((charge = ANY (ARRAY['reserved'::text, 'captured'::text, 'returned'::text]))),
  CHECK (((status <> 'queued'::text) OR (next_attempt_at IS NOT NULL))),
  CHECK (((status = ANY (ARRAY['delivered'::text, 'failed'::text])) = (event_id IS NOT NULL))),
  CHECK ((charge =
CASE status
    WHEN 'queued'::text THEN 'reserved'::text
    WHEN 'failed'::text THEN 'returned'::text
    ELSE 'captured'::text
END)),
  CHECK ((price_micros >= 0)),
  CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'delivered'::text, 'failed'::text])))
) partition by RANGE (delivery_id);

CREATE INDEX deliveries_by_id ON ONLY public.deliveries USING btree (delivery_id);
CREATE INDEX deliveries_by_message ON ONLY public.deliveries USING btree (provider_id, message_hash) WHERE (message_hash IS NOT NULL);
CREATE INDEX deliveries_held ON ONLY public.deliveries USING btree (held_by, next_attempt_at) WHERE (held_by IS NOT NULL);
CREATE INDEX deliveries_of_verification ON ONLY public.deliveries USING btree (company_id, app_id, otp_id, delivery_id);
CREATE INDEX deliveries_waiting ON ONLY public.deliveries USING btree (company_id, provider_id, next_attempt_at) WHERE ((next_attempt_at IS NOT NULL) AND (held_by IS NULL));
CREATE INDEX deliveries_with_error ON ONLY public.deliveries USING btree (company_id, app_id, otp_id, status, error_code) WHERE (error_code IS NOT NULL);

CREATE TRIGGER deliveries_stay AFTER UPDATE ON public.deliveries FOR EACH ROW WHEN (((old.status <> new.status) AND ((old.status = ANY (ARRAY['delivered'::text, 'failed'::text])) OR (new.status = 'queued'::text)))) EXECUTE FUNCTION refuse_change('a step back');

create table early_receipts (
  company_id text not null,
  provider_id text not null,
  name bytea not null,
  status text not null,
  error_code text,
  error_message text,
  unreachable boolean not null,
  is_swept boolean not null default false,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, provider_id, name, status),
  CHECK ((status = ANY (ARRAY['delivered'::text, 'failed'::text])))
);

CREATE INDEX early_receipts_expiring ON public.early_receipts USING btree (expires_at);
CREATE INDEX early_receipts_unswept ON public.early_receipts USING btree (created_at) WHERE (NOT is_swept);

create table event_attempts (
  company_id text not null,
  app_id text not null,
  event_id text not null,
  endpoint_id text not null,
  attempt integer not null,
  at timestamp with time zone not null,
  status integer,
  latency_ms integer not null,
  answer text,
  error text,
  signed text not null,
  PRIMARY KEY (company_id, app_id, event_id, endpoint_id, attempt, at)
) partition by RANGE (event_id);

create table events (
  company_id text not null,
  app_id text not null,
  event_id text not null,
  endpoint_id text not null,
  type text not null,
  otp_id text not null,
  delivery_id text,
  body text not null,
  created_at timestamp with time zone not null default now(),
  status text not null default 'waiting'::text,
  attempt integer not null default 0,
  next_attempt_at timestamp with time zone not null default now(),
  held_by text,
  is_retry boolean not null default false,
  is_retried boolean not null default true,
  is_test boolean not null default false,
  taken_at timestamp with time zone,
  taken_status smallint,
  taken_ms integer,
  taken_answer text,
  taken_signed text,
  PRIMARY KEY (company_id, app_id, event_id, endpoint_id),
  CHECK ((status = ANY (ARRAY['waiting'::text, 'sending'::text, 'delivered'::text, 'failed'::text, 'expired'::text, 'skipped'::text]))),
  CHECK ((type = ANY (ARRAY['otp.approved'::text, 'otp.failed'::text, 'delivery.delivered'::text, 'delivery.failed'::text])))
) partition by RANGE (event_id);

CREATE INDEX events_by_id ON ONLY public.events USING btree (event_id);
CREATE INDEX events_sending ON ONLY public.events USING btree (company_id, app_id, endpoint_id, next_attempt_at) WHERE (status = 'sending'::text);
CREATE INDEX events_waiting ON ONLY public.events USING btree (company_id, app_id, endpoint_id, is_retry, next_attempt_at, event_id) WHERE (status = 'waiting'::text);

create table exceptions (
  company_id text not null,
  recipient_hash bytea not null,
  exception_id text not null,
  kind text not null,
  masked_recipient text not null,
  person_id text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  PRIMARY KEY (company_id, recipient_hash),
  FOREIGN KEY (company_id) REFERENCES companies(company_id),
  CHECK ((recipient_hash <> '\x'::bytea)),
  CHECK ((kind = ANY (ARRAY['blocked'::text, 'allowed'::text])))
);

CREATE INDEX exceptions_by_company ON public.exceptions USING btree (company_id, exception_id);
CREATE INDEX exceptions_expiring ON public.exceptions USING btree (expires_at);

create table figures (
  company_id text not null,
  app_id text not null,
  span text not null,
  starts_at timestamp with time zone not null,
  channel text not null,
  country text not null,
  sends integer not null,
  messages integer not null,
  delivered integer not null,
  failed integer not null,
  approvals integer not null,
  cost_micros bigint not null,
  approve_buckets smallint[] not null,
  approve_counts integer[] not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, span, starts_at, channel, country),
  CHECK ((span = ANY (ARRAY['hour'::text, 'day'::text])))
);

CREATE INDEX figures_expiring ON public.figures USING btree (expires_at);

create table figures_progress (
  singleton boolean not null default true,
  gathered_to timestamp with time zone not null,
  PRIMARY KEY (singleton),
  CHECK (singleton)
);

create table guess_alarms (
  company_id text not null,
  app_id text not null,
  raised_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id)
);

CREATE INDEX guess_alarms_expiring ON public.guess_alarms USING btree (expires_at);

create table guess_counts (
  company_id text not null,
  app_id text not null,
  since timestamp with time zone not null,
  guesses bigint not null,
  failures bigint not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, since)
);

CREATE INDEX guess_counts_expiring ON public.guess_counts USING btree (expires_at);

create table idempotency_keys (
  company_id text not null,
  key_hash bytea not null,
  recipient_hash bytea not null,
  answer bytea not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, key_hash),
  CHECK (((key_hash <> '\x'::bytea) AND (answer <> '\x'::bytea)))
);

CREATE INDEX idempotency_keys_expiring ON public.idempotency_keys USING btree (expires_at);

CREATE TRIGGER idempotency_keys_stay AFTER UPDATE ON public.idempotency_keys FOR EACH ROW WHEN (((old.expires_at > clock_timestamp()) AND (new.answer <> old.answer))) EXECUTE FUNCTION refuse_change('another answer');

create table invitations (
  company_id text not null,
  invitation_id text not null,
  email bytea not null,
  email_hash bytea not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  UNIQUE (company_id, email_hash),
  PRIMARY KEY (company_id, invitation_id),
  FOREIGN KEY (company_id) REFERENCES companies(company_id),
  CHECK (((email <> '\x'::bytea) AND (email_hash <> '\x'::bytea))),
  CHECK ((role = ANY (ARRAY['viewer'::text, 'developer'::text, 'owner'::text])))
);

CREATE INDEX invitations_expiring ON public.invitations USING btree (expires_at);
CREATE INDEX invitations_of_person ON public.invitations USING btree (email_hash);

create table key_counts (
  company_id text not null,
  app_id text not null,
  key_id text not null,
  hour timestamp with time zone not null,
  calls integer not null,
  errors integer not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, key_id, hour)
);

CREATE INDEX key_counts_expiring ON public.key_counts USING btree (expires_at);

create table keys (
  company_id text not null,
  app_id text not null,
  key_id text not null,
  kind text not null,
  name text,
  key_hash bytea not null,
  first_characters text not null,
  last_characters text not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  UNIQUE (company_id, app_id, key_hash),
  PRIMARY KEY (company_id, app_id, key_id),
  FOREIGN KEY (company_id, app_id) REFERENCES apps(company_id, app_id),
  CHECK ((key_hash <> '\x'::bytea)),
  CHECK ((kind = ANY (ARRAY['server'::text, 'publishable'::text])))
);

CREATE UNIQUE INDEX keys_by_id ON public.keys USING btree (key_id);

CREATE TRIGGER keys_stay AFTER UPDATE ON public.keys FOR EACH ROW WHEN ((((old.revoked_at IS NOT NULL) AND (new.revoked_at IS NULL)) OR (new.kind <> old.kind) OR (new.key_hash <> old.key_hash))) EXECUTE FUNCTION refuse_change('a key that comes back or changes');

create table ledger (
  company_id text not null,
  entry_id text not null,
  kind text not null,
  amount_micros bigint not null,
  otp_id text,
  delivery_id text,
  note text,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (company_id, entry_id),
  CHECK (
CASE kind
    WHEN 'reserve'::text THEN (amount_micros < 0)
    WHEN 'capture'::text THEN (amount_micros = 0)
    WHEN 'return'::text THEN (amount_micros > 0)
    ELSE true
END),
  CHECK (((kind = ANY (ARRAY['reserve'::text, 'capture'::text, 'return'::text])) = (delivery_id IS NOT NULL))),
  CHECK ((kind = ANY (ARRAY['credit'::text, 'reserve'::text, 'capture'::text, 'return'::text, 'carried'::text])))
);

CREATE TRIGGER ledger_stays BEFORE UPDATE ON public.ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a changed entry');

create table limits (
  company_id text not null,
  limit_key bytea not null,
  state bigint[] not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, limit_key),
  CHECK ((limit_key <> '\x'::bytea))
);

CREATE INDEX limits_expiring ON public.limits USING btree (expires_at);

create table links (
  owner_id text not null,
  number text not null,
  reference_hash bytea not null,
  company_id text not null,
  app_id text not null,
  otp_id text not null,
  code_version smallint not null,
  answered bytea[] not null default '{}'::bytea[],
  expires_at timestamp with time zone not null,
  PRIMARY KEY (owner_id, number, reference_hash),
  CHECK (((reference_hash <> '\x'::bytea) AND (code_version > 0)))
);

CREATE INDEX links_expiring ON public.links USING btree (expires_at);

create table members (
  company_id text not null,
  person_id text not null,
  role text not null,
  joined_at timestamp with time zone not null default now(),
  PRIMARY KEY (company_id, person_id),
  FOREIGN KEY (company_id) REFERENCES companies(company_id),
  FOREIGN KEY (person_id) REFERENCES people(person_id),
  CHECK ((role = ANY (ARRAY['viewer'::text, 'developer'::text, 'owner'::text])))
);

CREATE INDEX members_of_person ON public.members USING btree (person_id, company_id);

CREATE TRIGGER members_keep_an_owner AFTER DELETE ON public.members FOR EACH ROW WHEN ((old.role = 'owner'::text)) EXECUTE FUNCTION refuse_ownerless();
CREATE TRIGGER members_still_have_an_owner AFTER UPDATE ON public.members FOR EACH ROW WHEN (((old.role = 'owner'::text) AND (new.role <> 'owner'::text))) EXECUTE FUNCTION refuse_ownerless();

create table migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  PRIMARY KEY (name)
);

create table partition_upkeep (
  is_only boolean not null default true,
  seen_at timestamp with time zone not null,
  held_until timestamp with time zone,
  dropped_on date,
  PRIMARY KEY (is_only),
  CHECK (is_only)
);

create table passkey_challenges (
  challenge text not null,
  purpose text not null,
  person_id text,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (challenge),
  CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'prove'::text, 'register'::text])))
);

CREATE INDEX passkey_challenges_expiring ON public.passkey_challenges USING btree (expires_at);

create table passkeys (
  person_id text not null,
  passkey_id text not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  is_backed_up boolean not null,
  is_suspect boolean not null default false,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  UNIQUE (credential_id),
  PRIMARY KEY (person_id, passkey_id),
  FOREIGN KEY (person_id) REFERENCES people(person_id)
);

create table people (
  person_id text not null,
  email bytea not null,
  email_hash bytea not null,
  name text,
  is_operator boolean not null default false,
  created_at timestamp with time zone not null default now(),
  last_sign_in_at timestamp with time zone,
  UNIQUE (email_hash),
  PRIMARY KEY (person_id),
  CHECK (((email <> '\x'::bytea) AND (email_hash <> '\x'::bytea)))
);

create table prices (
  singleton boolean not null default true,
  book jsonb not null,
  PRIMARY KEY (singleton),
  CHECK (singleton)
);

create table provider_minutes (
  company_id text not null,
  provider_id text not null,
  since timestamp with time zone not null,
  sent integer not null,
  failed integer not null,
  accepted integer not null,
  accept_ms bigint not null,
  delivered integer not null,
  timed integer not null,
  deliver_ms bigint not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, provider_id, since)
);

CREATE INDEX provider_minutes_expiring ON public.provider_minutes USING btree (expires_at);

create table provider_states (
  company_id text not null,
  provider_id text not null,
  revision integer not null,
  link text,
  link_since timestamp with time zone,
  link_at timestamp with time zone,
  is_link_new boolean not null default false,
  errors integer not null default 0,
  first_error_at timestamp with time zone,
  is_broken boolean not null default false,
  answered_at timestamp with time zone,
  up_since timestamp with time zone,
  error_code text,
  error_message text,
  error_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, provider_id, revision),
  CHECK ((link = ANY (ARRAY['up'::text, 'connecting'::text, 'down'::text])))
);

CREATE INDEX provider_states_expiring ON public.provider_states USING btree (expires_at);

create table providers (
  company_id text not null,
  provider_id text not null,
  channel text not null,
  kind text not null,
  name text,
  settings jsonb not null,
  secrets bytea not null,
  countries text[],
  priority integer not null default 100,
  enabled boolean not null default true,
  revision integer not null default 1,
  costs jsonb,
  tested_at timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (company_id, provider_id),
  CHECK ((channel = ANY (ARRAY['sms'::text, 'whatsapp'::text, 'telegram'::text, 'email'::text]))),
  CHECK (((jsonb_typeof(settings) = 'object'::text) AND (jsonb_typeof(costs) = 'object'::text)))
);

CREATE UNIQUE INDEX providers_by_id ON public.providers USING btree (provider_id);

create table pumping_acquaintances (
  company_id text not null,
  app_id text not null,
  recipient_hash bytea not null,
  acquaintance text not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, recipient_hash)
);

CREATE INDEX pumping_acquaintances_expiring ON public.pumping_acquaintances USING btree (expires_at);

create table pumping_approvals (
  company_id text not null,
  app_id text not null,
  otp_id text not null,
  recipient_hashes bytea[] not null,
  approved_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, otp_id)
);

CREATE INDEX pumping_approvals_expiring ON public.pumping_approvals USING btree (expires_at);

create table pumping_history (
  company_id text not null,
  app_id text not null,
  since timestamp with time zone not null,
  place text not null,
  level text not null,
  label text not null,
  debt real not null,
  threshold real not null,
  held integer not null,
  watched integer not null,
  expires_at timestamp with time zone not null,
  held_micros bigint not null default 0,
  watched_micros bigint not null default 0,
  PRIMARY KEY (company_id, app_id, since, place),
  CHECK ((threshold > (0)::double precision))
);

CREATE INDEX pumping_history_expiring ON public.pumping_history USING btree (expires_at);

create table pumping_states (
  company_id text not null,
  app_id text not null,
  row_key text not null,
  state text not null,
  blocked_until timestamp with time zone,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, row_key)
);

CREATE INDEX pumping_states_blocked ON public.pumping_states USING btree (company_id, app_id, blocked_until) WHERE (blocked_until IS NOT NULL);
CREATE INDEX pumping_states_expiring ON public.pumping_states USING btree (expires_at);

create table refusal_counts (
  company_id text not null,
  app_id text not null,
  span text not null,
  starts_at timestamp with time zone not null,
  rule text not null,
  country text not null default ''::text,
  level text not null default ''::text,
  place text not null default ''::text,
  count bigint not null,
  price_micros bigint not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, span, starts_at, rule, country, level, place),
  CHECK ((span = ANY (ARRAY['hour'::text, 'day'::text])))
);

CREATE INDEX refusal_counts_expiring ON public.refusal_counts USING btree (expires_at);

create table refusals (
  company_id text not null,
  app_id text not null,
  refusal_id text not null,
  kind text not null,
  otp_id text,
  error_type text not null,
  rule text not null,
  facts json not null,
  masked_recipient text not null,
  recipient_hash bytea,
  country text,
  channel text,
  key_id text,
  client_ip inet,
  price_micros bigint,
  count bigint not null,
  created_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, refusal_id),
  CHECK ((kind = ANY (ARRAY['send'::text, 'resend'::text])))
) partition by RANGE (refusal_id);

CREATE INDEX refusals_by_country ON ONLY public.refusals USING btree (company_id, app_id, country, refusal_id) WHERE (country IS NOT NULL);
CREATE INDEX refusals_by_rule ON ONLY public.refusals USING btree (company_id, app_id, rule, refusal_id);
CREATE INDEX refusals_by_type ON ONLY public.refusals USING btree (company_id, app_id, error_type, refusal_id);
CREATE INDEX refusals_of_recipient ON ONLY public.refusals USING btree (company_id, recipient_hash, refusal_id) WHERE (recipient_hash IS NOT NULL);
CREATE INDEX refusals_of_verification ON ONLY public.refusals USING btree (company_id, app_id, otp_id, refusal_id) WHERE (otp_id IS NOT NULL);

create table route_counts (
  company_id text not null,
  app_id text not null,
  channel text not null,
  country text not null,
  provider_id text not null,
  sends bigint not null,
  delivered bigint not null,
  failed bigint not null,
  approved bigint not null,
  approve_ms bigint not null,
  saved_micros bigint not null,
  ripe_10 double precision not null,
  approved_10 double precision not null,
  ripe_25 double precision not null,
  approved_25 double precision not null,
  ripe_100 double precision not null,
  approved_100 double precision not null,
  ripe_1600 double precision not null,
  approved_1600 double precision not null,
  fell double precision not null,
  learned_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, channel, country, provider_id)
);

CREATE INDEX route_counts_expiring ON public.route_counts USING btree (expires_at);

create table rule_revisions (
  company_id text not null,
  app_id text not null,
  revision integer not null,
  rules jsonb not null,
  person_id text,
  restored_from integer,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (company_id, app_id, revision),
  FOREIGN KEY (company_id, app_id) REFERENCES apps(company_id, app_id),
  CHECK ((jsonb_typeof(rules) = 'array'::text))
);

CREATE TRIGGER rule_revisions_stay BEFORE UPDATE ON public.rule_revisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a changed entry');

create table sessions (
  person_id text not null,
  session_id text not null,
  token_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamp with time zone not null default now(),
  user_agent text,
  address inet,
  proven_at timestamp with time zone not null default now(),
  proofs text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  UNIQUE (token_hash),
  PRIMARY KEY (person_id, session_id),
  FOREIGN KEY (person_id) REFERENCES people(person_id),
  CHECK (((token_hash <> '\x'::bytea) AND (previous_hash <> '\x'::bytea)))
);

CREATE INDEX sessions_by_previous ON public.sessions USING btree (previous_hash) WHERE (previous_hash IS NOT NULL);
CREATE INDEX sessions_expiring ON public.sessions USING btree (expires_at);

create table sign_in_links (
  token_hash bytea not null,
  link_id text not null,
  person_id text not null,
  makes_operator boolean not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  UNIQUE (link_id),
  PRIMARY KEY (token_hash),
  FOREIGN KEY (person_id) REFERENCES people(person_id),
  CHECK ((token_hash <> '\x'::bytea))
);

CREATE INDEX sign_in_links_expiring ON public.sign_in_links USING btree (expires_at);
CREATE INDEX sign_in_links_of_person ON public.sign_in_links USING btree (person_id);

create table signing_keys (
  number smallint not null,
  kid text not null,
  sealed bytea not null,
  active_from timestamp with time zone not null,
  UNIQUE (kid),
  PRIMARY KEY (number)
);

create table spend_counters (
  company_id text not null,
  app_id text not null,
  name text not null,
  since timestamp with time zone not null,
  spent_micros bigint not null,
  approved_micros bigint not null,
  best_micros bigint not null,
  best_spent_micros bigint not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, name, since)
);

CREATE INDEX spend_counters_expiring ON public.spend_counters USING btree (expires_at);

create table spend_notes (
  company_id text not null,
  app_id text not null,
  otp_id text not null,
  delivery_id text not null,
  country text,
  sent_at timestamp with time zone not null,
  spent_micros bigint not null,
  approved_micros bigint not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, otp_id, delivery_id)
);

CREATE INDEX spend_notes_expiring ON public.spend_notes USING btree (expires_at);

create table tokens (
  company_id text not null,
  app_id text not null,
  token_hash bytea not null,
  otp_id text not null,
  exchanged_by text,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, token_hash),
  CHECK ((token_hash <> '\x'::bytea))
);

CREATE INDEX tokens_expiring ON public.tokens USING btree (expires_at);

CREATE TRIGGER tokens_stay AFTER UPDATE ON public.tokens FOR EACH ROW WHEN ((((new.exchanged_by IS DISTINCT FROM old.exchanged_by) AND (old.exchanged_by IS NOT NULL)) OR (new.otp_id <> old.otp_id))) EXECUTE FUNCTION refuse_change('a second exchange');

create table unreachable (
  company_id text not null,
  app_id text not null,
  recipient_hash bytea not null,
  channel text not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, recipient_hash, channel),
  CHECK ((channel = ANY (ARRAY['sms'::text, 'whatsapp'::text, 'telegram'::text, 'email'::text]))),
  CHECK ((recipient_hash <> '\x'::bytea))
);

CREATE INDEX unreachable_expiring ON public.unreachable USING btree (expires_at);

create table verifications (
  company_id text not null,
  app_id text not null,
  otp_id text not null,
  status text not null,
  recipient_type text not null,
  recipient bytea,
  recipient_hash bytea,
  masked_recipient text not null,
  country text,
  locale text not null,
  called text,
  channel text not null,
  link_mode text,
  link_number text,
  data_key smallint not null,
  code_version smallint not null,
  code_length smallint not null,
  code_mac bytea not null,
  attempts smallint not null default 0,
  max_attempts smallint not null,
  guessed_at timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  sends smallint not null default 1,
  max_sends smallint not null,
  client_ip inet,
  ip_key text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  resend_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  approved_by text,
  replay_until timestamp with time zone,
  cancelled_at timestamp with time zone,
  spend_micros bigint not null default 0,
  spend_at timestamp with time zone,
  event_id text,
  PRIMARY KEY (company_id, app_id, otp_id),
  CHECK (((attempts >= 0) AND (attempts <= max_attempts))),
  CHECK ((channel = ANY (ARRAY['sms'::text, 'whatsapp'::text, 'telegram'::text, 'email'::text]))),
  CHECK ((((status = 'pending'::text) = (event_id IS NULL)) AND ((status = 'approved'::text) = (verified_at IS NOT NULL)) AND ((approved_by IS NULL) OR (status = 'approved'::text)) AND ((cancelled_at IS NULL) OR (status = 'failed'::text)))),
  CHECK (((link_mode IS NULL) OR (channel = 'whatsapp'::text))),
  CHECK ((link_mode = ANY (ARRAY['link_code'::text, 'link_inbound'::text]))),
  CHECK ((recipient_type = ANY (ARRAY['phone'::text, 'email'::text]))),
  CHECK (((sends >= 1) AND (sends <= max_sends))),
  CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'failed'::text])))
) partition by RANGE (otp_id);

CREATE INDEX verifications_by_id ON ONLY public.verifications USING btree (substr(otp_id, 5));
CREATE INDEX verifications_of_recipient ON ONLY public.verifications USING btree (company_id, recipient_hash, otp_id) WHERE (recipient_hash IS NOT NULL);

CREATE TRIGGER verifications_stay AFTER UPDATE ON public.verifications FOR EACH ROW WHEN ((((old.status <> new.status) AND (old.status <> 'pending'::text)) OR (new.attempts < old.attempts) OR (new.sends < old.sends))) EXECUTE FUNCTION refuse_change('a step back');

create table way_figures (
  company_id text not null,
  app_id text not null,
  span text not null,
  starts_at timestamp with time zone not null,
  way text not null,
  key text not null,
  sends integer not null,
  messages integer not null,
  delivered integer not null,
  failed integer not null,
  approvals integer not null,
  cost_micros bigint not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (company_id, app_id, span, starts_at, way, key),
  CHECK ((span = ANY (ARRAY['hour'::text, 'day'::text]))),
  CHECK ((way = ANY (ARRAY['channel_started'::text, 'provider'::text, 'error'::text])))
);

CREATE INDEX way_figures_expiring ON public.way_figures USING btree (expires_at);

create table webhook_endpoints (
  company_id text not null,
  app_id text not null,
  endpoint_id text not null,
  url text not null,
  types text[],
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamp with time zone,
  status text not null,
  paused_at timestamp with time zone,
  reason text,
  enabled_at timestamp with time zone,
  failures integer not null default 0,
  last_success_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (company_id, app_id, endpoint_id),
  FOREIGN KEY (company_id, app_id) REFERENCES apps(company_id, app_id),
  CHECK ((failures >= 0)),
  CHECK (((secret <> '\x'::bytea) AND (previous_secret <> '\x'::bytea))),
  CHECK ((status = ANY (ARRAY['active'::text, 'probing'::text, 'paused'::text]))),
  CHECK ((cardinality(types) > 0))
);

create table workers (
  worker_id text not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (worker_id)
);

CREATE INDEX workers_expiring ON public.workers USING btree (expires_at);
