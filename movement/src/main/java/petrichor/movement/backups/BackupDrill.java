package petrichor.movement.backups;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.entities.EntityDatabases;
import petrichor.kv.KeyRange;
import petrichor.movement.Progress;
import petrichor.movement.backups.RowDigests.Digest;
import petrichor.rpc.v1.ClearRows;
import petrichor.rpc.v1.DescribeRows;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;

/**
 * Tries a restore: restores a backup into a scratch database, compares counts and hashes of each
 * kind and table with the source at the same version, and empties the scratch database. Confined to
 * one thread.
 */
public final class BackupDrill {
    private static final int PAGE_BYTES = 1 << 20;

    /**
     * What to try.
     *
     * @param version to restore
     * @param scratch a database for the drill
     * @param replace whether to empty the scratch database first; otherwise it must be empty
     */
    public record Plan(long version, DatabaseName scratch, boolean replace) {}

    /**
     * A kind or a table.
     *
     * @param name such as {@code kind City} or {@code table public.item}
     * @param expected rows of the source, index entries of tables included
     * @param restored rows of the scratch database
     * @param equal whether counts and hashes are equal
     */
    public record Part(String name, long expected, long restored, boolean equal) {}

    /**
     * The outcome.
     *
     * @param withSource whether the source still had this version; otherwise the scratch database
     *     was compared with the files of the backup
     */
    public record Report(long version, boolean withSource, List<Part> parts) {
        public Report {
            parts = List.copyOf(parts);
        }

        public boolean passed() {
            return parts.stream().allMatch(Part::equal);
        }

        public long rows() {
            return parts.stream().mapToLong(Part::restored).sum();
        }
    }

    private final RowsOwner owner;
    private final BackupSets sets;
    private final Plan plan;
    private final Progress progress;

    public BackupDrill(RowsOwner owner, BackupSets sets, Plan plan, Progress progress) {
        if (plan.scratch().equals(sets.database())) {
            throw PetrichorException.invalid(
                    "{database} cannot be its own scratch database; name another one.",
                    "database",
                    plan.scratch());
        }
        this.owner = owner;
        this.sets = sets;
        this.plan = plan;
        this.progress = progress;
    }

    /** FAILED_PRECONDITION, with the reason, if the backup is damaged. */
    public Report run() {
        Restore.Plan all = new Restore.Plan(plan.version(), BackupFilter.ALL, plan.scratch());
        Restore restore = new Restore(owner, sets, all, progress);
        if (plan.replace()) {
            clear();
        } else {
            requireEmpty();
        }
        try {
            var _ = restore.apply();
            return compare();
        } finally {
            clear();
        }
    }

    private void clear() {
        RowsRequest request =
                request(plan.scratch()).setClear(ClearRows.getDefaultInstance()).build();
        try {
            while (!owner.ask(request).getEnd()) {
                // The next part.
            }
        } catch (PetrichorException missing) {
            if (missing.code() != ErrorCode.NOT_FOUND) {
                throw missing;
            }
        }
    }

    private void requireEmpty() {
        long version = version(plan.scratch());
        if (version > 0 && !digests(plan.scratch(), version).isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The scratch database {database} is not empty. If a drill that was killed left"
                            + " the rows, repeat it with --replace, which deletes them.",
                    "database",
                    plan.scratch());
        }
    }

    private Report compare() {
        boolean withSource = isKept();
        Map<String, Digest> expected =
                withSource ? digests(sets.database(), plan.version()) : stored();
        Map<String, Digest> restored = digests(plan.scratch(), version(plan.scratch()));
        TreeSet<String> names = new TreeSet<>(expected.keySet());
        names.addAll(restored.keySet());
        List<Part> parts = new ArrayList<>();
        for (String name : names) {
            Digest one = expected.get(name);
            Digest other = restored.get(name);
            parts.add(
                    new Part(
                            name,
                            RowDigests.rows(one),
                            RowDigests.rows(other),
                            Objects.equals(one, other)));
        }
        return new Report(plan.version(), withSource, parts);
    }

    private RowsRequest.Builder request(DatabaseName name) {
        return RowsRequest.newBuilder()
                .setDatabase(EntityDatabases.name(name.project(), name.database()));
    }

    /** The newest one of a database; 0 if it is empty or does not exist. */
    private long version(DatabaseName name) {
        try {
            return owner.ask(request(name).setDescribe(DescribeRows.getDefaultInstance()).build())
                    .getVersion();
        } catch (PetrichorException missing) {
            if (missing.code() != ErrorCode.NOT_FOUND) {
                throw missing;
            }
            return 0;
        }
    }

    /** Whether the source can be read at the version of the backup. */
    private boolean isKept() {
        try {
            RowsResponse now =
                    owner.ask(
                            request(sets.database())
                                    .setDescribe(DescribeRows.getDefaultInstance())
                                    .build());
            return now.getVersion() >= plan.version() && now.getOldest() <= plan.version();
        } catch (PetrichorException missing) {
            if (missing.code() != ErrorCode.NOT_FOUND) {
                throw missing;
            }
            return false;
        }
    }

    private Map<String, Digest> digests(DatabaseName name, long version) {
        RowDigests digests = new RowDigests(sets.database());
        for (KeyRange range : BackupFilter.ALL.ranges()) {
            BackupRun.RowsPages pages =
                    new BackupRun.RowsPages(
                            owner, request(name).build(), version, range, PAGE_BYTES);
            for (RowsResponse page = pages.next(); page != null; page = pages.next()) {
                RowBlock.decode(ByteBuffer.wrap(page.getRows().toByteArray()))
                        .forEach(digests::add);
            }
        }
        return digests.finish();
    }

    private Map<String, Digest> stored() {
        RowDigests digests = new RowDigests(sets.database());
        try (BackupState state =
                new BackupState(sets, sets.find(), plan.version(), BackupFilter.ALL)) {
            for (BackupRow row = state.next(); row != null; row = state.next()) {
                digests.add(row);
            }
        }
        return digests.finish();
    }
}
