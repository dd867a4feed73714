-- Adds a prompt to the queue of a session, in the transaction of the caller. A role that may use the schema can call it, without rights on the tables.
create function inhouse.enqueue(
    session text,
    prompt text,
    tenant text default null,
    priority integer default 0,
    dedupe text default null,
    not_before timestamptz default null,
    id uuid default null
) returns uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    new_id uuid := coalesce(enqueue.id, gen_random_uuid());
    owner text := coalesce(enqueue.tenant, enqueue.session);
    taken bigint;
    earlier inhouse.work;
begin
    if coalesce(enqueue.session, '') = '' or owner = '' or enqueue.prompt is null then
        raise exception 'a prompt needs the name of a session, a tenant and a text' using errcode = 'IH002';
    end if;
    -- An index holds about 2,700 bytes, and two of these names are in one.
    if greatest(octet_length(enqueue.session), octet_length(owner), octet_length(enqueue.dedupe)) > 1000 then
        raise exception 'the name of a session, a tenant and a dedupe key may have 1,000 bytes each' using errcode = 'IH002';
    end if;
    loop
        select * into earlier from inhouse.work w where w.tenant = owner and w.dedupe = enqueue.dedupe;
        if not found then
            select * into earlier from inhouse.work w where w.id = new_id;
        end if;
        if found and earlier.session = enqueue.session and earlier.prompt = enqueue.prompt then
            return earlier.id;
        elsif found and earlier.id = enqueue.id then
            raise exception 'work % exists with another session or text', new_id using errcode = 'IH001';
        elsif found then
            raise exception 'work % of session "%" has the dedupe key "%" of work % of session "%", which has another session or text',
                new_id, enqueue.session, enqueue.dedupe, earlier.id, earlier.session using errcode = 'IH001';
        end if;

        insert into inhouse.counter as c (session, next) values (enqueue.session, 2)
        on conflict (session) do update set next = c.next + 1 returning next - 1 into taken;
        insert into inhouse.work (id, session, number, tenant, priority, prompt, dedupe, not_before)
        values (new_id, enqueue.session, taken, owner, enqueue.priority, enqueue.prompt, enqueue.dedupe,
                coalesce(enqueue.not_before, '-infinity'))
        on conflict do nothing;
        if found then
            return new_id;
        end if;
        -- Another transaction has just committed the same id or key.
    end loop;
end $$;

-- Makes a session ready when a prompt for it is committed. At the end of the transaction, so that a long transaction delays neither the prompts
-- before it nor the functions that lock the session.
create function inhouse.enqueued() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    s inhouse.session;
begin
    loop
        select * into s from inhouse.session where name = new.session for update;
        exit when found;
        insert into inhouse.session (name, tenant) values (new.session, new.tenant) on conflict do nothing;
    end loop;
    if s.state = 'ready' then
        -- A claim that skipped the locked row comes again.
        perform pg_notify('inhouse_work', 'ready');
    elsif s.state = 'idle' or s.state = 'delayed' and s.work is null then
        perform inhouse.advance(new.session);
    end if;
    return null;
end $$;
create constraint trigger enqueued after insert on inhouse.work
    deferrable initially deferred for each row execute function inhouse.enqueued();

-- Sets the state of a session by its queued prompts. The session is locked, and none of its prompts has begun.
create function inhouse.advance(named text) returns void language plpgsql as $$
declare
    head inhouse.work;
    moment timestamptz := clock_timestamp();
    earliest timestamptz;
begin
    select * into head from inhouse.work w where w.session = named and w.state = 'queued' order by w.number limit 1;
    if not found then
        update inhouse.session set state = 'idle', work = null, host = null, isolated = false where name = named;
        return;
    end if;
    if head.not_before > moment then
        -- A prompt for later does not hold back those behind it.
        select * into head from inhouse.work w
        where w.session = named and w.state = 'queued' and w.not_before <= moment order by w.number limit 1;
        if not found then
            select min(w.not_before) into earliest from inhouse.work w where w.session = named and w.state = 'queued';
            update inhouse.session set state = 'delayed', ready_at = earliest, work = null, host = null, isolated = false
            where name = named;
            return;
        end if;
    end if;
    update inhouse.session
    set state = 'ready', ready_at = moment, tenant = head.tenant, priority = head.priority,
        work = null, host = null, isolated = false
    where name = named;
    perform pg_notify('inhouse_work', 'ready');
end $$;

-- Ends a prompt. Its session is locked.
create function inhouse.end_work(ended uuid, how text, why text, given text) returns void language sql as $$
    update inhouse.work set state = how, reason = why, reply = given, stop = null, finished = clock_timestamp() where id = ended;
    update inhouse.question set closed = true where work = ended;
    select pg_notify('inhouse_event', ended::text);
$$;

-- Adds an event of a prompt. Its session is locked.
create function inhouse.add_event(of_work uuid, kind text, body text) returns void language sql as $$
    insert into inhouse.event (work, kind, body) values (of_work, kind, body);
    select pg_notify('inhouse_event', of_work::text);
$$;
