# Second stage, the first process of its own mount, process and IPC namespaces: mounts the file
# system that the instance sees, makes it the root, and runs the next stage.
# VIEW_TABLE: the mounts, as in fstab. VIEW_ROOT: the folder that becomes the root.
set -eu
mount --all --fstab "$VIEW_TABLE"
cd "$VIEW_ROOT"
# The old root is shortly mounted on an empty folder of the new one.
pivot_root . run
cd /
umount -l /run
exec "$@"
