package petrichor.movement.replication;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.Bytes;
import petrichor.movement.backups.BackupRow;
import petrichor.rpc.v1.ReplicaStatus;

/**
 * Transactions without those that a replica has already.
 *
 * @param next the status of the replica, committed together with the rows
 * @param rows as the last transaction left them, each key once
 * @param isNew false if the replica has everything
 */
public record ReplicaBatch(ReplicaStatus next, List<BackupRow> rows, boolean isNew) {
    /**
     * @param rows in commit order
     * @param to the position after them
     */
    public static ReplicaBatch of(List<BackupRow> rows, long to, ReplicaStatus before) {
        Map<Bytes, BackupRow> last = new LinkedHashMap<>();
        long commits = 0;
        long duplicates = 0;
        long version = 0;
        for (BackupRow row : rows) {
            boolean known = row.version() <= before.getPosition();
            if (row.version() != version) {
                version = row.version();
                commits += known ? 0 : 1;
                duplicates += known ? 1 : 0;
            }
            if (!known) {
                last.put(Bytes.of(row.key()), row);
            }
        }
        ReplicaStatus next =
                before.toBuilder()
                        .setPosition(Math.max(to, before.getPosition()))
                        .setCommits(before.getCommits() + commits)
                        .setDuplicates(before.getDuplicates() + duplicates)
                        .setRows(before.getRows() + last.size())
                        .build();
        boolean isNew = duplicates > 0 || to > before.getPosition();
        return new ReplicaBatch(next, List.copyOf(last.values()), isNew);
    }
}
