-- The current owner of a session, and its lease. Times are microseconds since 1970.
create table inhouse_session (
    project text collate "C" not null,
    session text collate "C" not null,
    epoch bigint not null,
    owner text,
    until bigint not null default 0,
    owned bigint not null,
    primary key (project, session)
);

-- Epochs of all sessions come from one sequence, so they also grow over an erasure.
create sequence inhouse_epoch;

create function inhouse_now() returns bigint language sql volatile
    as 'select (extract(epoch from clock_timestamp()) * 1000000)::bigint';

-- The main stream of a session has the empty subpath.
create table inhouse_stream (
    id bigint generated always as identity primary key,
    project text collate "C" not null,
    session text collate "C" not null,
    subpath text collate "C" not null,
    next bigint not null,
    modified bigint not null,
    summary bytea,
    unique (project, session, subpath)
);
create index inhouse_stream_modified on inhouse_stream (project, modified, session) where subpath = '';

-- Bytes, not jsonb: jsonb rejects \u0000 and lone surrogates. PostgreSQL compresses long values itself.
create table inhouse_entry (
    stream bigint not null,
    position bigint not null,
    epoch bigint not null,
    body bytea not null,
    primary key (stream, position)
);

create table inhouse_file (
    project text collate "C" not null,
    session text collate "C" not null,
    path text collate "C" not null,
    body bytea not null,
    primary key (project, session, path)
);

create table inhouse_journal (
    id bigint generated always as identity,
    project text collate "C" not null,
    session text collate "C" not null,
    call text collate "C" not null,
    epoch bigint not null,
    tool text not null,
    message bytea not null,
    input bytea not null,
    result bytea,
    primary key (project, session, call)
);
