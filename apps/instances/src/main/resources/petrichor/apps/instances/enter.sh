# First stage, in the platform's namespaces: joins the control groups and runs the next stage.
# GATES: files to which a process writes its id to join a group, one per line.
set -euf
IFS='
'
for gate in $GATES; do
  echo $$ >"$gate"
done
# If the machine runs out of memory, the kernel ends an instance before the platform.
echo 500 2>/dev/null >/proc/self/oom_score_adj || :
exec "$@"
