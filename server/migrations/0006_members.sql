-- People of the dashboard. Their addresses are sealed, and found by a keyed hash.
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
  -- The token before the last rotation: an answer that carries the new one can get lost.
  previous_hash bytea,
  rotated_at timestamptz not null default now(),
  user_agent text,
  address inet,
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
  person_id text collate "C" not null,
  expires_at timestamptz not null
);
create index sign_in_links_expiring on sign_in_links (expires_at);

-- Written before a change and settled after it: what was cut short is there, and marked.
create table audit_entries (
  -- Empty for what belongs to no company.
  company_id text collate "C" not null,
  audit_id text collate "C" not null,
  actor text not null check (actor in ('person', 'token', 'command_line')),
  person_id text collate "C",
  action text not null,
  app_id text collate "C",
  subject text,
  changes json not null,
  is_certain boolean not null default false,
  request_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '400 days',
  primary key (company_id, audit_id)
);
create index audit_entries_by_id on audit_entries (audit_id);
create index audit_entries_expiring on audit_entries (expires_at);

-- The installation's own company and app, through which people get the codes to sign in with.
insert into companies (company_id, name, metered)
values ('cmp_0000000000dashb0ardsgn1n00', 'Countersign', false);
insert into apps (app_id, company_id, name, settings)
values ('app_0000000000dashb0ardsgn1n00', 'cmp_0000000000dashb0ardsgn1n00', 'Countersign',
  '{"routing": {"default": ["email"]},
    "channels": {"sms": {"enabled": false}, "whatsapp": {"enabled": false}, "telegram": {"enabled": false}},
    "limits": {"app": [{"max": 600, "window_s": 60}], "app_without_ip": [{"max": 60, "window_s": 60}]}}');
