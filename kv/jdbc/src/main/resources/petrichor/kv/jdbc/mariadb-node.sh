# One MariaDB node in the foreground: mariadb-node.sh SERVER SETTINGS DATA [ADDRESS PORT DATA]...
# with address, group port and data folder of each other node of a Galera cluster.
#
# The first node to start has to bootstrap the cluster, and must be the one with the latest writes:
# any other node would make the others lose acknowledged writes. So: if another node runs, join it.
# Otherwise bootstrap, if no other node has later writes. Comparing nodes requires that their data
# is on this host; if it is not, only the node that was stopped last may bootstrap.
set -eu
server=$1 settings=$2 data=$3
shift 3

run() { exec "$server" --defaults-file="$settings" "$@"; }
state() { sed -n "s/^$2: *//p" "$1/grastate.dat" 2>/dev/null; }

# The number of the last write in the data folder $1; -1 if it was never part of a cluster.
last_write() {
    [ -f "$1/grastate.dat" ] || { echo -1; return; }
    known=$(state "$1" seqno)
    [ "$known" = -1 ] || { echo "$known"; return; }
    log=$(mktemp)
    "$server" --defaults-file="$settings" --datadir="$1" --bind-address=127.0.0.1 --skip-networking \
        --socket="$1/recover.sock" --pid-file="$1/recover.pid" --wsrep-recover >"$log" 2>&1 || true
    found=$(sed -n 's/.*Recovered position: *[0-9a-f-]*:\(-\{0,1\}[0-9]*\).*/\1/p' "$log" | tail -1)
    rm -f "$log"
    [ -n "$found" ] || { echo "cannot determine the last write of $1" >&2; exit 1; }
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
    echo "This node was not the last to stop, and cannot read the data of the others. Find the node" \
        "whose grastate.dat has the highest seqno (mariadbd --wsrep-recover reports it), set" \
        "safe_to_bootstrap to 1 there, and start it first." >&2
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
    echo "copying the data of $from, which has $best writes; this node has $own"
    # Files of both nodes often have the same size and time, so rsync must not skip any.
    rsync -a --ignore-times --delete "$from/" "$data/"
fi
# The membership of the former cluster, which must not be passed on to the new one.
rm -f "$data/gvwstate.dat"
sed -i 's/^safe_to_bootstrap:.*/safe_to_bootstrap: 1/' "$data/grastate.dat"
run --wsrep-new-cluster
