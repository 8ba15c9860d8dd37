package petrichor.services.blobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.services.blobs.stored.StoredFormSession;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Forms with files that browsers upload for an app. A session permits one upload, by a client that
 * knows its id, until it expires. Thread-safe.
 */
public final class FormSessions {
    public static final Duration LIFETIME_MAX = Duration.ofHours(24);

    private static final int ID_BYTES = 24;
    private static final int EXPIRED_AT_ONCE = 1_000;

    private final BlobStore store;

    FormSessions(BlobStore store) {
        this.store = store;
    }

    /**
     * What an app permits.
     *
     * @param successPath path of the app that is called after the upload
     * @param bytesMax of all files together
     * @param bytesPerBlobMax of each file
     * @param bucket with a path in it, that receives the files; empty for the default
     */
    public record Form(String successPath, long bytesMax, long bytesPerBlobMax, String bucket) {}

    /** Returns the id of a new session. */
    public String start(String project, Form form, Duration lifetime) {
        byte[] random = new byte[ID_BYTES];
        store.chance().nextBytes(random);
        String id = HexFormat.of().formatHex(random);
        StoredFormSession stored =
                StoredFormSession.newBuilder()
                        .setSuccessPath(form.successPath())
                        .setBytesMax(form.bytesMax())
                        .setBytesPerBlobMax(form.bytesPerBlobMax())
                        .setBucket(form.bucket())
                        .setExpiresMicros(
                                store.now() + TimeUnit.NANOSECONDS.toMicros(lifetime.toNanos()))
                        .build();
        return RowChange.commit(
                store.database(project),
                change -> {
                    change.put(BlobRows.form(id), stored.toByteArray());
                    return id;
                });
    }

    /** Empty if the session does not exist, has expired, or was used. */
    public Optional<Form> find(String project, String id) {
        try (Snapshot snapshot = store.database(project).snapshot()) {
            return form(snapshot.get(BlobRows.form(id)));
        }
    }

    /** Ends a session: only one caller gets its form. */
    public Optional<Form> take(String project, String id) {
        return RowChange.commit(
                store.database(project),
                change -> {
                    Row row = change.get(BlobRows.form(id));
                    if (row != null) {
                        change.delete(BlobRows.form(id));
                    }
                    return form(row);
                });
    }

    private Optional<Form> form(@Nullable Row row) {
        if (row == null) {
            return Optional.empty();
        }
        StoredFormSession stored = StoredRows.parse(StoredFormSession.parser(), row.value());
        return stored.getExpiresMicros() <= store.now()
                ? Optional.empty()
                : Optional.of(
                        new Form(
                                stored.getSuccessPath(),
                                stored.getBytesMax(),
                                stored.getBytesPerBlobMax(),
                                stored.getBucket()));
    }

    /** Deletes expired sessions of a project. */
    static void deleteExpired(BlobStore store, String project) {
        List<byte[]> expired = new ArrayList<>();
        try (Snapshot snapshot = store.database(project).snapshot();
                RowCursor rows = snapshot.scan(BlobRows.forms(), Direction.FORWARD)) {
            while (expired.size() < EXPIRED_AT_ONCE && rows.next()) {
                StoredFormSession form = StoredRows.parse(StoredFormSession.parser(), rows.value());
                if (form.getExpiresMicros() <= store.now()) {
                    expired.add(rows.key());
                }
            }
        }
        if (!expired.isEmpty()) {
            var _ =
                    RowChange.commit(
                            store.database(project),
                            change -> {
                                expired.forEach(change::delete);
                                return project;
                            });
        }
    }
}
