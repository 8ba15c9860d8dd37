# One MariaDB node in the foreground: mariadb-node.sh SERVER SETTINGS DATA [ADDRESS PORT DATA]...
# with address, group port and data folder of each other node of a Galera cluster.
#
# The first node to start has to begin the cluster, and must be the one that knows most: another
# one would make the others forget what was acknowledged. So: where another node is there, join it.
# Else begin, if this node knows as much as all others. To know what the others know, their data
# must lie on this host; if it does not, only a node that was stopped last may begin.
set -eu
server=$1 settings=$2 data=$3
shift 3

run() { exec "$server" --defaults-file="$settings" "$@"; }
state() { sed -n "s/^$2: *//p" "$1/grastate.dat" 2>/dev/null; }

# The number of the last write that the data folder $1 has; -1 for one that never was in a cluster.
last_write() {
    [ -f "$1/grastate.dat" ] || { echo -1; return; }
    known=$(state "$1" seqno)
    [ "$known" = -1 ] || { echo "$known"; return; }
    log=$(mktemp)
    "$server" --defaults-file="$settings" --datadir="$1" --bind-address=127.0.0.1 --skip-networking \
        --socket="$1/recover.sock" --pid-file="$1/recover.pid" --wsrep-recover >"$log" 2>&1 || true
    found=$(sed -n 's/.*Recovered position: *[0-9a-f-]*:\(-\{0,1\}[0-9]*\).*/\1/p' "$log" | tail -1)
    rm -f "$log"
    [ -n "$found" ] || { echo "cannot find out what $1 knows" >&2; exit 1; }
    echo "$found"
}

[ $# -gt 0 ] || run

here=0 strangers=0
members="$*"
while [ $# -gt 0 ]; do
    if timeout 1 bash -c "exec 3<>/dev/tcp/$1/$2" 2>/dev/null; then here=1; fi
    [ -d "$3" ] || strangers=1
    shift 3
done
[ $here = 0 ] || run
[ -f "$data/grastate.dat" ] || run --wsrep-new-cluster
[ "$(state "$data" safe_to_bootstrap)" != 1 ] || run --wsrep-new-cluster

if [ $strangers = 1 ]; then
    echo "This node was not the last to stop, and cannot see what the others know. Start the node" \
        "first whose grastate.dat has the greatest seqno (mariadbd --wsrep-recover tells it)," \
        "after safe_to_bootstrap was set to 1 there." >&2
    exit 1
fi
own=$(last_write "$data")
best=$own from=
set -- $members
while [ $# -gt 0 ]; do
    theirs=$(last_write "$3")
    if [ "$theirs" -gt "$best" ]; then best=$theirs from=$3; fi
    shift 3
done
if [ -n "$from" ]; then
    echo "taking the rows of $from, which knows $best writes; this node knows $own"
    # Files of both nodes often have one length and were changed in one moment: compare nothing.
    rsync -a --ignore-times --delete "$from/" "$data/"
fi
# Who was in the cluster that is no more, and as whom: not to be told to the new one.
rm -f "$data/gvwstate.dat"
sed -i 's/^safe_to_bootstrap:.*/safe_to_bootstrap: 1/' "$data/grastate.dat"
run --wsrep-new-cluster
