# Kills the process groups of a host that has died, or that was stopped for too long. The host writes "+ <group>",
# "- <group>" and "t <group> <seconds>" lines; the end of input means that the host is dead. POSIX sh, and builtins only
# after the end of input: starting a program would give the CLI time to act.
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
groups=' '

# On Linux, also kills processes that have left the group. Each process is stopped before its children
# are listed, so that it starts no more of them.
kill_family() {
    kill -STOP "$1"
    for list in /proc/"$1"/task/*/children; do
        children=
        read -r children <"$list"
        for child in $children; do kill_family "$child"; done
    done
    kill -KILL "$1"
}

# Kills a group after a time, unless the host extends the time before. A stopped host cannot.
start_timer() {
    (
        trap 'kill "$nap"; exit' USR1
        sleep "$2" &
        nap=$!
        # A `sleep` that could not run, or was killed, says nothing about the time.
        wait "$nap" || exit
        # Not stopped from here on: the group would stay stopped, and neither run nor die.
        trap '' USR1
        kill -STOP "-$1"
        kill_family "$1"
        kill -KILL "-$1"
    ) </dev/null &
    eval "timer_$1=$!"
}

stop_timer() {
    eval "timer=\${timer_$1-}"
    [ -z "$timer" ] && return
    kill -USR1 "$timer"
    # Reaps the timer.
    wait "$timer"
    unset "timer_$1"
}

while read -r change group seconds; do
    case $change in
    +) groups="$groups$group " ;;
    -)
        case $groups in
        *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;;
        esac
        stop_timer "$group"
        ;;
    t)
        stop_timer "$group"
        start_timer "$group" "$seconds"
        ;;
    esac
done

# The stdin of each CLI ended together with this input. A CLI that sees the end of its stdin fails its
# open tool calls and sends another request to the model, so every group is stopped first.
stop_all() {
    for each in $groups; do kill -STOP "-$each"; done
}
stop_all

# All groups are stopped again before each kill: the kernel continues a stopped group when its last
# parent outside of the group exits, and the host may exit after the first stop.
for group in $groups; do
    stop_all
    kill_family "$group"
    kill -KILL "-$group"
done

# Their numbers may be given to other processes from now on.
for group in $groups; do stop_timer "$group"; done
