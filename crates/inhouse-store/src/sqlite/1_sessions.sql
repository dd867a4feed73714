-- The current owner of a session, and its lease. Times are microseconds since 1970.
create table inhouse_session (
    project text not null,
    session text not null,
    epoch integer not null,
    owner text,
    until integer not null default 0,
    owned integer not null,
    primary key (project, session)
) strict, without rowid;

-- The greatest epoch of all sessions: epochs also grow over an erasure.
create table inhouse_epoch (last integer not null) strict;
insert into inhouse_epoch (last) values (0);

-- The main stream of a session has the empty subpath.
create table inhouse_stream (
    id integer primary key autoincrement,
    project text not null,
    session text not null,
    subpath text not null,
    next integer not null,
    modified integer not null,
    summary blob,
    unique (project, session, subpath)
) strict;
create index inhouse_stream_modified on inhouse_stream (project, modified, session) where subpath = '';

create table inhouse_entry (
    stream integer not null,
    position integer not null,
    epoch integer not null,
    encoding integer not null,
    body blob not null,
    unique (stream, position)
) strict;

create table inhouse_file (
    project text not null,
    session text not null,
    path text not null,
    size integer not null,
    encoding integer not null,
    body blob not null,
    unique (project, session, path)
) strict;

create table inhouse_journal (
    id integer primary key autoincrement,
    project text not null,
    session text not null,
    call text not null,
    epoch integer not null,
    tool text not null,
    message blob not null,
    input blob not null,
    result blob,
    unique (project, session, call)
) strict;
