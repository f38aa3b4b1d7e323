-- Conversion debt. A row holds one place of an app (a country, a carrier, an address, a block of ten thousand
-- numbers with the smaller blocks in it); blocks of numbers are named by a keyed hash. All of it is written
-- under the lock of the company's row.
create table pumping_states (
  app_id text collate "C" not null,
  row_key text collate "C" not null,
  state jsonb not null,
  blocked_until timestamptz,
  expires_at timestamptz not null,
  primary key (app_id, row_key)
) with (fillfactor = 80);
create index pumping_states_expiring on pumping_states (expires_at);
create index pumping_states_blocked on pumping_states (app_id, blocked_until) where blocked_until is not null;

-- What the guard knows of a recipient: trust, and the send that an approval would pay back.
create table pumping_people (
  app_id text collate "C" not null,
  recipient_hash bytea not null,
  person json not null,
  expires_at timestamptz not null,
  primary key (app_id, recipient_hash)
) with (fillfactor = 80);
create index pumping_people_expiring on pumping_people (expires_at);

-- Approvals that no batch has taken into account yet. Only ever inserted by whoever approves, so that an
-- approval waits for nobody.
create table pumping_approvals (
  app_id text collate "C" not null,
  otp_id text collate "C" not null,
  recipient_hash bytea not null,
  approved_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (app_id, otp_id)
);
create index pumping_approvals_expiring on pumping_approvals (expires_at);
