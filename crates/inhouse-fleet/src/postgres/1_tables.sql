-- The number of the next prompt of a session. `inhouse.enqueue` locks the row until the transaction of its caller ends, so prompts are numbered in
-- the order of their commits. Only `enqueue` and `erase` wait for it.
create table inhouse.counter (
    session text collate "C" primary key,
    next bigint not null
);

-- Which session may be claimed, and who has it. Every function below locks this row before it changes the session's work.
create table inhouse.session (
    name text collate "C" primary key,
    state text not null default 'idle' check (state in ('idle', 'delayed', 'ready', 'running', 'deferred')),
    -- Of the next prompt.
    tenant text collate "C" not null,
    priority integer not null default 0,
    -- When the session became ready; when it becomes ready if it is delayed.
    ready_at timestamptz not null default clock_timestamp(),
    -- The prompt that has begun and is not finished. While it is null, the first queued prompt that is due is the next one.
    work uuid,
    -- The incarnation of the host that runs the prompt, and the number of that delivery.
    host uuid,
    claim bigint,
    -- Whether hosts have died twice while they ran this prompt. A host runs only one such session at a time.
    isolated boolean not null default false
) with (fillfactor = 70);
create index session_ready on inhouse.session (priority desc, tenant, ready_at) where state = 'ready';
create index session_delayed on inhouse.session (ready_at) where state = 'delayed';
create index session_host on inhouse.session (host) where state = 'running';
create index session_tenant on inhouse.session (tenant) where state = 'running';
create sequence inhouse.claims;

create table inhouse.work (
    id uuid primary key,
    session text collate "C" not null,
    number bigint not null,
    tenant text collate "C" not null,
    priority integer not null,
    prompt text not null,
    dedupe text collate "C",
    not_before timestamptz not null,
    state text not null default 'queued' check (state in ('queued', 'running', 'deferred', 'done', 'parked', 'cancelled')),
    -- Failed attempts, and hosts that died during one.
    attempts integer not null default 0,
    losses integer not null default 0,
    -- Failed attempts that do not count.
    returns integer not null default 0,
    -- What a person asked for while the prompt was running: 'cancel' or 'park'.
    stop text,
    -- The name of the last host.
    host text,
    reason text,
    -- JSON in a text: jsonb rejects \u0000 and lone surrogates.
    reply text,
    created timestamptz not null default clock_timestamp(),
    started timestamptz,
    finished timestamptz,
    unique (session, number)
);
create unique index work_dedupe on inhouse.work (tenant, dedupe) where dedupe is not null;
create index work_queued on inhouse.work (session, number) where state = 'queued';
create index work_open on inhouse.work (state) where state in ('queued', 'running', 'deferred');
create index work_parked on inhouse.work (finished) where state = 'parked';
create index work_finished on inhouse.work (finished) where finished is not null and state <> 'parked';

create table inhouse.question (
    id uuid primary key,
    work uuid not null,
    session text collate "C" not null,
    call text collate "C" not null,
    body text not null,
    asked timestamptz not null default clock_timestamp(),
    expires timestamptz not null,
    answer text,
    -- Whether the question needs no answer any more: the prompt ended, or continued without this call.
    closed boolean not null default false
);
create index question_work on inhouse.question (work);
create index question_call on inhouse.question (session, call);
create index question_open on inhouse.question (expires) where answer is null and not closed;

-- Events of a prompt are written under a lock of its session, so their ids grow in the order of their commits.
create table inhouse.event (
    id bigint generated always as identity primary key,
    work uuid not null,
    kind text not null,
    body text not null
);
create index event_work on inhouse.event (work, id);

-- Workers that serve. A worker that starts again is another incarnation, and has none of the former claims.
create table inhouse.host (
    incarnation uuid primary key,
    name text collate "C" not null,
    slots integer not null,
    draining boolean not null default false,
    since timestamptz not null default clock_timestamp(),
    alive_until timestamptz not null,
    -- The first of the heartbeats that came without a gap. A host does not declare others dead soon after a gap: they may have had the same one, as
    -- after an outage of the database.
    steady_since timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
create index host_alive on inhouse.host (alive_until);

-- Tenants with a limit.
create table inhouse.tenant (
    name text collate "C" primary key,
    max_active integer not null check (max_active >= 0)
);

-- Milliseconds since 1970, for JSON.
create function inhouse.milliseconds(moment timestamptz) returns bigint language sql stable
    as 'select (extract(epoch from moment) * 1000)::bigint';
