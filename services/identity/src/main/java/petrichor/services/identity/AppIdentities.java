package petrichor.services.identity;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Identities of all apps. The private key of an app is in the row {@code I} of its database, and
 * readable to anyone who can read the store. Thread-safe; may block.
 */
public final class AppIdentities {
    /** App Engine's limit. */
    public static final int SIGNED_BYTES_MAX = 8 << 10;

    private static final byte[] ROW = {'I', 'k'};

    /** Another server or thread may create the key at the same time. */
    private static final int ATTEMPTS_MAX = 5;

    private final Supplier<Databases> databases;
    private final TimeSource time;
    private final SecureRandom random;
    private final ConcurrentMap<String, Cached> keys = new ConcurrentHashMap<>();

    /** A key, for one opening of its database: a reset removes the row. */
    private record Cached(Database database, AppKey key) {}

    /**
     * @param databases of the store in use, which a server may replace
     */
    public AppIdentities(Supplier<Databases> databases, TimeSource time, SecureRandom random) {
        this.databases = databases;
        this.time = time;
        this.random = random;
    }

    /**
     * A signature of an app.
     *
     * @param keyName see {@link Certificate#keyName}
     */
    public record Signed(String keyName, byte[] signature) {}

    /**
     * @param keyName names the key of a signature
     * @param pem X.509 in PEM
     */
    public record Certificate(String keyName, String pem) {}

    /** A token that names the app until it expires. */
    public record AccessToken(String token, Instant expires) {}

    /** The name of the app's service account, as on App Engine. */
    public static String serviceAccount(String project) {
        return project + "@appspot.gserviceaccount.com";
    }

    /** INVALID_ARGUMENT if there are more than {@link #SIGNED_BYTES_MAX} bytes. */
    public Signed sign(String project, byte[] bytes) {
        if (bytes.length > SIGNED_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "there are {bytes} bytes to sign, at most {bytesMax} are allowed; sign their"
                            + " hash instead",
                    "bytes",
                    bytes.length,
                    "bytesMax",
                    SIGNED_BYTES_MAX);
        }
        AppKey key = key(project);
        return new Signed(key.name(), key.sign(bytes));
    }

    /** The certificates with which signatures of the app can be verified. */
    public List<Certificate> certificates(String project) {
        AppKey key = key(project);
        return List.of(new Certificate(key.name(), key.pem()));
    }

    /** A JSON web token (RS256) that the app's key signs, for the scopes. */
    public AccessToken accessToken(String project, List<String> scopes, Duration validity) {
        AppKey key = key(project);
        Instant now = now();
        Instant expires = now.plus(validity).truncatedTo(ChronoUnit.SECONDS);
        String token = new SignedToken(serviceAccount(project), scopes, now, expires).encode(key);
        return new AccessToken(token, expires);
    }

    private Instant now() {
        return Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS);
    }

    private AppKey key(String project) {
        Database database = databases.get().open(project);
        Cached cached = keys.get(project);
        if (cached != null && cached.database().equals(database)) {
            return cached.key();
        }
        AppKey key = stored(database);
        keys.put(project, new Cached(database, key));
        return key;
    }

    private AppKey stored(Database database) {
        for (int attempt = 1; ; attempt++) {
            long version;
            @Nullable Row row;
            try (Snapshot snapshot = database.snapshot()) {
                version = snapshot.version();
                row = snapshot.get(ROW);
            }
            if (row != null) {
                return AppKey.decode(row.value());
            }
            AppKey fresh = AppKey.create(serviceAccount(database.name()), now(), random);
            CommitResult result =
                    database.commit(
                                    new CommitRequest(
                                            version,
                                            List.of(),
                                            List.of(),
                                            List.of(ROW),
                                            List.of(new RowWrite(ROW, fresh.encode(), null))))
                            .join();
            switch (result) {
                case CommitResult.Committed _ -> {
                    return fresh;
                }
                case CommitResult.Refused(PetrichorException reason) -> throw reason;
                case CommitResult.Conflict _, CommitResult.Unknown _ -> {
                    if (attempt == ATTEMPTS_MAX) {
                        throw PetrichorException.of(
                                ErrorCode.UNAVAILABLE,
                                "the key of the app {project} could not be stored; retry later",
                                "project",
                                database.name());
                    }
                }
            }
        }
    }
}
