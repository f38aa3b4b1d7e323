-- The audit trail as chains: one for each company, and one, under the empty id, for the installation. A row is
-- never changed: how a change ended is a row of its own. Each row carries a keyed hash over itself and the one before.
drop table audit_entries;

create table audit_chains (
  -- Empty for the installation's own.
  company_id text collate "C" primary key,
  -- The last row, and a keyed hash over both: who cuts the chain short cannot make a new one.
  position bigint not null default 0,
  mac bytea not null default '',
  seal bytea not null default '',
  data_key integer not null default 1,
  -- The last row that retention took, sealed likewise: what is left begins after it.
  anchor_position bigint not null default 0,
  anchor_mac bytea not null default '',
  anchor_seal bytea not null default ''
);

create table audit_entries (
  company_id text collate "C" not null,
  position bigint not null,
  audit_id text collate "C" not null,
  -- The entry whose outcome this row tells; null where the row is an entry.
  settles text collate "C",
  -- Null: told by a later row, or by none when the process ended before.
  outcome text check (outcome in ('done', 'refused')),
  -- The type of the refusal.
  error_type text,
  -- Of a change that made a company: said in the installation's chain, and once more in the company's.
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
create index audit_entries_outcomes on audit_entries (company_id, settles) where settles is not null;
create index audit_entries_by_id on audit_entries (audit_id);
create index audit_entries_expiring on audit_entries (expires_at);

-- Links have a name, so that they can be listed and revoked; those that are out live for an hour at most.
delete from sign_in_links;
alter table sign_in_links
  add column link_id text collate "C" not null,
  add column created_at timestamptz not null default now();
create unique index sign_in_links_by_id on sign_in_links (link_id);

-- When the person last proved who they are, and by what: a code, a link, a passkey.
alter table sessions
  add column proven_at timestamptz not null default now(),
  add column proofs text[] not null default '{}';
update sessions set proven_at = created_at;

-- The requester has a budget of their own, below that of the address that they ask for: a stranger cannot use up
-- somebody else's codes, nor their wrong ones. More tries for an address are made up for by two more digits.
update apps set settings = settings || '{
    "code_length": 8,
    "limits": {"recipient": [{"max": 60, "window_s": 600}, {"max": 200, "window_s": 86400}],
               "recipient_failures": [{"max": 1000, "window_s": 86400}],
               "ip": [{"max": 10, "window_s": 600}, {"max": 40, "window_s": 86400}],
               "flagged_ip": [{"max": 5, "window_s": 600}],
               "app": [{"max": 600, "window_s": 60}], "app_without_ip": [{"max": 60, "window_s": 60}]}}'
 where app_id = 'app_0000000000dashb0ardsgn1n00';

-- Public keys that people sign in with, and where each was last used. They are a person's, whatever the company.
create table passkeys (
  person_id text collate "C" not null references people,
  passkey_id text collate "C" not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- How often the key has signed, as it says itself; zero where it does not count.
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

-- What a passkey is to sign, once and soon.
create table passkey_challenges (
  challenge text collate "C" primary key,
  purpose text not null check (purpose in ('sign_in', 'prove', 'register')),
  -- Null where nobody is known yet.
  person_id text collate "C",
  expires_at timestamptz not null
);
create index passkey_challenges_expiring on passkey_challenges (expires_at);

alter table companies add column passkey_required boolean not null default false;
