package petrichor.apps.catalog;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import petrichor.apps.catalog.stored.StoredQuotas;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * The quotas that operators gave to apps: rows of type {@code L} beside those of apps. They are
 * rows of their own, so that an app that is deleted and deployed again has the same quotas. A
 * change raises the revision of the catalog, which the servers of a cluster follow. Durable when a
 * method returns. Thread-safe; blocks.
 */
public final class QuotaRecords {
    private static final int TYPE = 'L';
    private static final int ATTEMPTS_MAX = 30;
    private static final KeyRange ALL = KeyRange.ofPrefix(new OrderedWriter().put(TYPE).toBytes());

    private final Supplier<Database> database;

    /**
     * @param database the system database, opened on each call since it may have moved
     */
    public QuotaRecords(Supplier<Database> database) {
        this.database = database;
    }

    private static byte[] key(String app) {
        return new OrderedWriter().put(TYPE).putString(app).toBytes();
    }

    /** Those of all apps that have some, by app. */
    public Map<String, AppQuotas> all() {
        Map<String, AppQuotas> all = new HashMap<>();
        try (Snapshot snapshot = database.get().snapshot();
                RowCursor cursor = snapshot.scan(ALL, Direction.FORWARD)) {
            while (cursor.next()) {
                StoredQuotas stored = stored(cursor.value());
                all.put(stored.getApp(), quotas(stored));
            }
        }
        return all;
    }

    /** The app's own; none if it has only the defaults. */
    public AppQuotas of(String app) {
        try (Snapshot snapshot = database.get().snapshot()) {
            Row row = snapshot.get(key(app));
            return row == null ? AppQuotas.NONE : quotas(stored(row.value()));
        }
    }

    /**
     * Changes the quotas of an app, unless another change is committed in between: then it is
     * repeated. ABORTED if that happens too often.
     *
     * @return the app's own quotas after the change
     */
    public AppQuotas change(String app, UnaryOperator<AppQuotas> change) {
        Names.requireApp(app);
        byte[] key = key(app);
        for (int attempt = 1; ; attempt++) {
            Database current = database.get();
            try (Snapshot snapshot = current.snapshot()) {
                Row prior = snapshot.get(key);
                AppQuotas after =
                        change.apply(
                                prior == null ? AppQuotas.NONE : quotas(stored(prior.value())));
                Row revision = snapshot.get(StoredApps.revision());
                byte[] value = after.limits().isEmpty() ? null : encoded(app, after);
                List<RowWrite> writes =
                        List.of(
                                new RowWrite(key, value, prior),
                                new RowWrite(
                                        StoredApps.revision(),
                                        StoredApps.after(revision),
                                        revision));
                CommitRequest request =
                        new CommitRequest(
                                snapshot.version(),
                                List.of(),
                                List.of(),
                                writes.stream().map(RowWrite::key).toList(),
                                writes);
                switch (current.commit(request).join()) {
                    case CommitResult.Committed _ -> {
                        return after;
                    }
                    case CommitResult.Conflict _ -> {
                        if (attempt == ATTEMPTS_MAX) {
                            throw PetrichorException.of(
                                    ErrorCode.ABORTED, "others change apps; retry later");
                        }
                    }
                    case CommitResult.Refused(PetrichorException reason) -> throw reason;
                    case CommitResult.Unknown(PetrichorException reason) -> throw reason;
                }
            }
        }
    }

    private static byte[] encoded(String app, AppQuotas quotas) {
        StoredQuotas.Builder stored = StoredQuotas.newBuilder().setApp(app);
        quotas.limits().forEach((quota, limit) -> stored.putLimits(quota.label(), limit));
        return stored.build().toByteArray();
    }

    private static StoredQuotas stored(byte[] value) {
        try {
            return StoredQuotas.parseFrom(value);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "the row of an app's quotas cannot be read");
        }
    }

    /** Without those that only a newer version knows. */
    private static AppQuotas quotas(StoredQuotas stored) {
        Map<Quota, Long> limits = new EnumMap<>(Quota.class);
        for (Quota quota : Quota.values()) {
            Long limit = stored.getLimitsMap().get(quota.label());
            if (limit != null) {
                limits.put(quota, limit);
            }
        }
        return new AppQuotas(limits);
    }
}
