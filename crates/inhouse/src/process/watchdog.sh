# Kills the process groups of a host that has died. The host writes "+ <group>" and "- <group>" lines;
# the end of input means that it died, in whatever way. POSIX sh, builtins only: starting a program
# would leave the CLI time to act.
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

# The stdin of each CLI ended together with this input. A CLI that reads that end fails its open tool
# calls and asks the model again, so every group is stopped before anything else happens.
stop_all() {
    for each in $groups; do kill -STOP "-$each"; done
}
stop_all

# On Linux also kills what has left the group. Each process is stopped before its children are listed,
# so that it starts no more of them.
kill_family() {
    kill -STOP "$1"
    for list in /proc/"$1"/task/*/children; do
        children=
        read -r children <"$list"
        for child in $children; do kill_family "$child"; done
    done
    kill -KILL "$1"
}

# All groups are stopped again before each one, because the kernel continues a stopped group whose last
# parent exits, which the host may do after the first stop.
for group in $groups; do
    stop_all
    kill_family "$group"
    kill -KILL "-$group"
done
