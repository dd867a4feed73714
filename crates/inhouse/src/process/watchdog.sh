# Kills the process groups of a host that has died. The host writes "+ <group>" and "- <group>" lines;
# the end of input means that the host is dead. POSIX sh, builtins only: starting a program would give
# the CLI time to act.
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
groups=' '
while read -r change group; do
    case $change in
    +) groups="$groups$group " ;;
    -) case $groups in
        *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;;
        esac ;;
    esac
done

# The stdin of each CLI ended together with this input. A CLI that sees the end of its stdin fails its
# open tool calls and sends another request to the model, so every group is stopped first.
stop_all() {
    for each in $groups; do kill -STOP "-$each"; done
}
stop_all

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

# All groups are stopped again before each kill: the kernel continues a stopped group when its last
# parent outside of the group exits, and the host may exit after the first stop.
for group in $groups; do
    stop_all
    kill_family "$group"
    kill -KILL "-$group"
done
