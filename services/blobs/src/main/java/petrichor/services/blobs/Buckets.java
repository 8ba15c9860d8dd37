package petrichor.services.blobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.services.blobs.stored.StoredName;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * The buckets. A name is unique in the deployment: a project first claims it in a directory, then
 * creates the bucket in its own database. If the server crashes in between, the claim lapses: the
 * same project can use it at once, another one after {@link #CLAIM_HELD}. Thread-safe.
 */
public final class Buckets {
    private static final Duration CLAIM_HELD = Duration.ofMinutes(10);

    private final BlobStore store;

    Buckets(BlobStore store) {
        this.store = store;
    }

    /** Outcome of a deletion. */
    public enum Deletion {
        DELETED,
        /** It contains objects, or noncurrent versions of some. */
        NOT_EMPTY
    }

    /**
     * ALREADY_EXISTS if the name is taken.
     *
     * @param settings as the front end encodes them
     */
    public Bucket create(String project, String name, boolean versioning, String settings) {
        BlobNames.requireBucket(name);
        claim(project, name);
        long now = store.now();
        Bucket fresh = new Bucket(name, project, Version.first(0, now), versioning, settings);
        byte[] key = BlobRows.bucket(name);
        RowChange.commit(
                store.database(project),
                change -> {
                    if (change.get(key) != null) {
                        throw taken(name);
                    }
                    change.put(key, StoredRows.encode(fresh));
                    return fresh;
                });
        if (!project.equals(project(name))) { // it took longer than the claim was held
            deleteRow(fresh, Preconditions.NONE);
            throw taken(name);
        }
        return fresh;
    }

    private void claim(String project, String name) {
        byte[] key = BlobRows.name(name);
        RowChange.commit(
                store.directory(),
                change -> {
                    Row row = change.get(key);
                    if (row != null) {
                        StoredName known = StoredRows.parse(StoredName.parser(), row.value());
                        requireLapsed(project, name, known);
                    }
                    if (change.get(BlobRows.project(project)) == null) {
                        change.put(BlobRows.project(project), new byte[] {1});
                    }
                    change.put(
                            key,
                            StoredName.newBuilder()
                                    .setProject(project)
                                    .setClaimedMicros(store.now())
                                    .build()
                                    .toByteArray());
                    return name;
                });
    }

    private void requireLapsed(String project, String name, StoredName known) {
        long heldMicros = TimeUnit.NANOSECONDS.toMicros(CLAIM_HELD.toNanos());
        boolean held = store.now() - known.getClaimedMicros() < heldMicros;
        boolean others = !known.getProject().equals(project);
        if ((others && held) || row(known.getProject(), name) != null) {
            throw taken(name);
        }
    }

    private static PetrichorException taken(String name) {
        return PetrichorException.of(
                ErrorCode.ALREADY_EXISTS,
                "The bucket name {name} is in use. Bucket names are unique in the deployment;"
                        + " choose another one.",
                "name",
                name);
    }

    private @Nullable String project(String name) {
        Row row = claimRow(name);
        return row == null ? null : StoredRows.parse(StoredName.parser(), row.value()).getProject();
    }

    private @Nullable Row claimRow(String name) {
        try (Snapshot snapshot = store.directory().snapshot()) {
            return snapshot.get(BlobRows.name(name));
        }
    }

    private @Nullable Row row(String project, String name) {
        try (Snapshot snapshot = store.database(project).snapshot()) {
            return snapshot.get(BlobRows.bucket(name));
        }
    }

    public Optional<Bucket> find(String name) {
        String project = project(name);
        Row row = project == null ? null : row(project, name);
        return project == null || row == null
                ? Optional.empty()
                : Optional.of(StoredRows.bucket(name, project, row.value()));
    }

    public Bucket get(String name) {
        return find(name).orElseThrow(() -> missing(name));
    }

    static PetrichorException missing(String name) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND, "The specified bucket does not exist: {name}", "name", name);
    }

    /** The bucket as a change sees it; NOT_FOUND if it was deleted meanwhile. */
    static Bucket in(RowChange change, Bucket known) {
        Row row = change.get(BlobRows.bucket(known.name()));
        if (row == null) {
            throw missing(known.name());
        }
        return StoredRows.bucket(known.name(), known.project(), row.value());
    }

    /**
     * The buckets of a project in the order of their names.
     *
     * @param after only later names; empty for all
     */
    public List<Bucket> list(String project, String prefix, String after, int bucketsMax) {
        List<Bucket> found = new ArrayList<>();
        try (Snapshot snapshot = store.database(project).snapshot();
                RowCursor rows = snapshot.scan(BlobRows.buckets(), Direction.FORWARD)) {
            while (found.size() < bucketsMax && rows.next()) {
                String name = BlobRows.bucketName(rows.key());
                if (name.startsWith(prefix) && name.compareTo(after) > 0) {
                    found.add(StoredRows.bucket(name, project, rows.value()));
                }
            }
        }
        return found;
    }

    /** Changes versioning and settings. */
    public Bucket update(String name, Preconditions conditions, UnaryOperator<Bucket> changed) {
        Bucket known = get(name);
        return RowChange.commit(
                store.database(known.project()),
                change -> {
                    Bucket before = in(change, known);
                    conditions.require(before.version(), name);
                    Bucket wanted = changed.apply(before);
                    Bucket after =
                            new Bucket(
                                    name,
                                    known.project(),
                                    before.version().changed(store.now()),
                                    wanted.versioning(),
                                    wanted.settings());
                    change.put(BlobRows.bucket(name), StoredRows.encode(after));
                    return after;
                });
    }

    public Deletion delete(String name, Preconditions conditions) {
        Bucket known = get(name);
        Row claim = claimRow(name);
        Deletion outcome = deleteRow(known, conditions);
        if (outcome == Deletion.DELETED && claim != null) {
            releaseName(name, claim);
        }
        return outcome;
    }

    private Deletion deleteRow(Bucket known, Preconditions conditions) {
        return RowChange.commit(
                store.database(known.project()),
                change -> {
                    conditions.require(in(change, known).version(), known.name());
                    if (change.first(BlobRows.live(known.name())) != null
                            || change.first(BlobRows.noncurrent(known.name())) != null) {
                        return Deletion.NOT_EMPTY;
                    }
                    change.delete(BlobRows.bucket(known.name()));
                    return Deletion.DELETED;
                });
    }

    /** Unless a project has claimed it again. */
    private void releaseName(String name, Row claim) {
        byte[] key = BlobRows.name(name);
        RowChange.commit(
                store.directory(),
                change -> {
                    Row row = change.get(key);
                    if (row != null && row.version() == claim.version()) {
                        change.delete(key);
                    }
                    return name;
                });
    }

    /** Projects that have or had buckets. */
    List<String> projects() {
        List<String> found = new ArrayList<>();
        try (Snapshot snapshot = store.directory().snapshot();
                RowCursor rows = snapshot.scan(BlobRows.projects(), Direction.FORWARD)) {
            while (rows.next()) {
                found.add(BlobRows.projectName(rows.key()));
            }
        }
        return found;
    }
}
