package petrichor.apps.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
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
 * The apps of a deployment. Changes are durable when a method returns; they are atomic, also
 * against concurrent ones, and return the app after the change. Thread-safe; blocks.
 */
public final class AppCatalog {
    public static final int APPS_MAX = 1_000;

    /** Attempts to change an app; all changes write the revision, so that they conflict. */
    private static final int ATTEMPTS_MAX = 30;

    private static final KeyRange ALL = KeyRange.ofPrefix(StoredApps.keys());

    private final Supplier<Database> database;

    /**
     * @param database the system database, opened on each call since it may have moved
     */
    public AppCatalog(Supplier<Database> database) {
        this.database = database;
    }

    public Optional<AppRecord> find(String app) {
        try (Snapshot snapshot = database.get().snapshot()) {
            return Optional.ofNullable(snapshot.get(StoredApps.key(app)))
                    .map(row -> StoredApps.decode(row.value()));
        }
    }

    /** NOT_FOUND if there is no such app. */
    public AppRecord require(String app) {
        return find(app).orElseThrow(() -> unknown(app));
    }

    /** Grows with every change of any app; 0 before the first one. */
    public long revision() {
        try (Snapshot snapshot = database.get().snapshot()) {
            Row row = snapshot.get(StoredApps.revision());
            return row == null ? 0 : StoredApps.revision(row.value());
        }
    }

    /** In the order of their names. */
    public List<AppRecord> list() {
        try (Snapshot snapshot = database.get().snapshot()) {
            return list(snapshot);
        }
    }

    private static List<AppRecord> list(Snapshot snapshot) {
        List<AppRecord> apps = new ArrayList<>();
        try (RowCursor cursor = snapshot.scan(ALL, Direction.FORWARD)) {
            while (cursor.next()) {
                apps.add(StoredApps.decode(cursor.value()));
            }
        }
        return apps;
    }

    /**
     * Adds a version, or replaces the one with the same name. Creates the app and the service if
     * they do not exist.
     *
     * @param promote whether it gets all requests of its service; the first version does anyway
     * @param configuration changes the app's, in the same commit
     */
    public AppRecord deploy(
            String app,
            String service,
            VersionRecord version,
            boolean promote,
            UnaryOperator<AppConfiguration> configuration) {
        requireFree(app);
        return change(
                app,
                before -> {
                    AppRecord after = deployed(known(app, before), service, version, promote);
                    return after.with(configuration.apply(after.configuration()));
                });
    }

    /** Fails as {@link #deploy} would, without a change. */
    public void requireDeployable(String app, String service, VersionRecord version) {
        requireFree(app);
        var _ = deployed(known(app, find(app).orElse(null)), service, version, true);
    }

    private static AppRecord known(String app, @Nullable AppRecord before) {
        return before == null ? AppRecord.empty(app) : before;
    }

    private static AppRecord deployed(
            AppRecord known, String service, VersionRecord version, boolean promote) {
        ServiceRecord changed =
                Optional.ofNullable(known.services().get(service))
                        .orElseGet(() -> ServiceRecord.empty(service))
                        .with(version);
        boolean first = changed.traffic().isEmpty();
        return known.with(promote || first ? changed.with(Traffic.all(version.name())) : changed);
    }

    private void requireFree(String app) {
        if (find(app).isEmpty() && list().size() >= APPS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "there are {appsMax} apps already; delete one",
                    "appsMax",
                    APPS_MAX);
        }
    }

    /** Whether a version has a share of its service's requests. */
    public boolean getsRequests(String app, String service, VersionRecord version) {
        return require(app)
                .service(service)
                .traffic()
                .map(split -> split.shares().containsKey(version.name()))
                .orElse(false);
    }

    /** Changes what applies to all services. Creates the app, without services, if necessary. */
    public AppRecord configure(String app, UnaryOperator<AppConfiguration> change) {
        requireFree(app);
        return change(
                app,
                before -> {
                    AppRecord known = known(app, before);
                    return known.with(change.apply(known.configuration()));
                });
    }

    /**
     * Lets a domain lead to a service of an app, instead of another service of this app.
     * ALREADY_EXISTS if another app has the domain.
     */
    public AppRecord addDomain(String app, AppDomain domain) {
        return existing(
                write(
                        app,
                        (before, snapshot) -> {
                            AppRecord known = existing(before, app);
                            var _ = known.service(domain.service());
                            list(snapshot).forEach(other -> requireAnother(other, app, domain));
                            return known.with(known.configuration().with(domain));
                        },
                        List.of(ALL)),
                app);
    }

    private static void requireAnother(AppRecord other, String app, AppDomain domain) {
        boolean taken =
                other.configuration().domains().stream()
                        .anyMatch(each -> each.host().equals(domain.host()));
        if (taken && !other.name().equals(app)) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "the domain {host} belongs to the app {app}; remove it there first",
                    "host",
                    domain.host(),
                    "app",
                    other.name());
        }
    }

    /** NOT_FOUND if the app does not have this domain. */
    public AppRecord removeDomain(String app, String host) {
        return change(
                app,
                before -> {
                    AppRecord known = existing(before, app);
                    AppConfiguration after = known.configuration().without(host);
                    if (after.equals(known.configuration())) {
                        throw PetrichorException.of(
                                ErrorCode.NOT_FOUND,
                                "the app {app} does not have the domain {host}",
                                "app",
                                app,
                                "host",
                                host);
                    }
                    return known.with(after);
                });
    }

    /** Splits the requests of a service. NOT_FOUND if one of the versions does not exist. */
    public AppRecord split(String app, String service, Traffic traffic) {
        return changeService(app, service, known -> known.with(traffic));
    }

    /** Returns to the former split. FAILED_PRECONDITION if there is none whose versions exist. */
    public AppRecord rollback(String app, String service) {
        return changeService(app, service, ServiceRecord::rolledBack);
    }

    /** Starts or stops a version. */
    public AppRecord setServing(String app, String service, String version, boolean serving) {
        return changeService(
                app, service, known -> known.with(known.version(version).with(serving)));
    }

    /** FAILED_PRECONDITION if the version gets requests. */
    public AppRecord deleteVersion(String app, String service, String version) {
        return changeService(app, service, known -> known.without(version));
    }

    /** NOT_FOUND if there is no such app. Its data is not deleted. */
    public void delete(String app) {
        write(
                app,
                (before, _) -> {
                    var _ = existing(before, app);
                    return null;
                },
                List.of());
    }

    private AppRecord changeService(
            String app, String service, UnaryOperator<ServiceRecord> change) {
        return change(
                app,
                before -> {
                    AppRecord known = existing(before, app);
                    return known.with(change.apply(known.service(service)));
                });
    }

    private static PetrichorException unknown(String app) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND, "there is no app {app}; deploy it first", "app", app);
    }

    /** May be called several times. */
    private interface Change {
        @Nullable AppRecord of(@Nullable AppRecord before, Snapshot snapshot);
    }

    private AppRecord change(String app, Function<@Nullable AppRecord, AppRecord> change) {
        return existing(write(app, (before, _) -> change.apply(before), List.of()), app);
    }

    private static AppRecord existing(@Nullable AppRecord found, String app) {
        if (found == null) {
            throw unknown(app);
        }
        return found;
    }

    /**
     * @param read ranges that the change depends on
     */
    private @Nullable AppRecord write(String app, Change change, List<KeyRange> read) {
        byte[] key = StoredApps.key(app);
        for (int attempt = 1; ; attempt++) {
            Database current = database.get();
            try (Snapshot snapshot = current.snapshot()) {
                Row prior = snapshot.get(key);
                AppRecord before = prior == null ? null : StoredApps.decode(prior.value());
                AppRecord after = change.of(before, snapshot);
                byte[] value = after == null ? null : StoredApps.encode(after);
                Row revision = snapshot.get(StoredApps.revision());
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
                                read,
                                writes.stream().map(RowWrite::key).toList(),
                                writes);
                if (committed(current, request, attempt)) {
                    return after;
                }
            }
        }
    }

    private static boolean committed(Database database, CommitRequest request, int attempt) {
        return switch (database.commit(request).join()) {
            case CommitResult.Committed _ -> true;
            case CommitResult.Conflict _ when attempt < ATTEMPTS_MAX -> false;
            case CommitResult.Conflict _ ->
                    throw PetrichorException.of(
                            ErrorCode.ABORTED, "others change this app; retry later");
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }
}
