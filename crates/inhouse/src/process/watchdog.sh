# Ends the process groups of a host that is gone. The host writes "+ <group>" and "- <group>" lines;
# the end of input means that it died, in whatever way. POSIX sh, no programs but sleep and cat.
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

keep_living() {
    living=' '
    for group in $groups; do
        if kill -0 "-$group"; then living="$living$group "; fi
    done
    groups=$living
}

# On Linux with what has left the group; each is told to stop first so that it starts nothing new.
kill_family() {
    kill -STOP "$1"
    for child in $(cat /proc/"$1"/task/*/children); do kill_family "$child"; done
    kill -KILL "$1"
}

for group in $groups; do kill -TERM "-$group"; done
for second in 1 2; do
    keep_living
    if [ "$groups" = ' ' ]; then exit; fi
    sleep 1
done
keep_living
for group in $groups; do
    kill_family "$group"
    kill -KILL "-$group"
done
