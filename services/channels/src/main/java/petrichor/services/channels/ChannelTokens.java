package petrichor.services.channels;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
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
 * Signs and verifies tokens (HMAC-SHA-256). The key of an app is in a row of its database, so that
 * every server can verify a token, also after a restart; a token of one app is worthless for
 * another one. Thread-safe; may block.
 */
public final class ChannelTokens {
    private static final byte[] ROW = {'I', 'c'};
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    /** The first half of the MAC: 128 bits cannot be guessed. */
    private static final int SIGNATURE_BYTES = 16;

    /** Of the longest project and client id, in base64, with the signature. */
    private static final int TOKEN_CHARS_MAX = 1_024;

    /** Another thread may create the key at the same time. */
    private static final int ATTEMPTS_MAX = 5;

    private final Supplier<Databases> databases;
    private final TimeSource time;
    private final SecureRandom random;
    private final ConcurrentMap<String, Cached> keys = new ConcurrentHashMap<>();

    /** A key, for one opening of its database: a reset removes the row. */
    private record Cached(Database database, SecretKeySpec key) {}

    /**
     * @param databases of the store in use, which a server may replace
     */
    public ChannelTokens(Supplier<Databases> databases, TimeSource time, SecureRandom random) {
        this.databases = databases;
        this.time = time;
        this.random = random;
    }

    /**
     * The text of a token, of characters that URLs may contain. Only on the owner of the app's
     * database, because the first token creates the key.
     */
    public String sign(ChannelToken token) {
        Database database = databases.get().open(token.project());
        SecretKeySpec key = key(database).orElseGet(() -> created(database));
        byte[] content = token.encode();
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        return base64.encodeToString(content) + "." + base64.encodeToString(mac(key, content));
    }

    /** The content of a token that one of our servers signed; empty if it is not valid now. */
    public Optional<ChannelToken> verify(String text) {
        int dot = text.indexOf('.');
        if (dot < 0 || text.length() > TOKEN_CHARS_MAX) {
            return Optional.empty();
        }
        byte[] content;
        byte[] signature;
        try {
            content = Base64.getUrlDecoder().decode(text.substring(0, dot));
            signature = Base64.getUrlDecoder().decode(text.substring(dot + 1));
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
        return ChannelToken.decode(content)
                .filter(token -> token.expiresMicros() > time.epochMicros())
                .filter(
                        token ->
                                known(token.project())
                                        .filter(
                                                key ->
                                                        MessageDigest.isEqual(
                                                                signature, mac(key, content)))
                                        .isPresent());
    }

    /** The key of an app; a forged token must not create the database of an app. */
    private Optional<SecretKeySpec> known(String project) {
        if (!keys.containsKey(project) && !databases.get().names().contains(project)) {
            return Optional.empty();
        }
        return key(databases.get().open(project));
    }

    private Optional<SecretKeySpec> key(Database database) {
        Cached cached = keys.get(database.name());
        if (cached != null && cached.database().equals(database)) {
            return Optional.of(cached.key());
        }
        try (Snapshot snapshot = database.snapshot()) {
            Row row = snapshot.get(ROW);
            return row == null ? Optional.empty() : Optional.of(cached(database, row.value()));
        }
    }

    private SecretKeySpec cached(Database database, byte[] bytes) {
        SecretKeySpec key = new SecretKeySpec(bytes, ALGORITHM);
        keys.put(database.name(), new Cached(database, key));
        return key;
    }

    private SecretKeySpec created(Database database) {
        for (int attempt = 1; ; attempt++) {
            long version;
            @Nullable Row row;
            try (Snapshot snapshot = database.snapshot()) {
                version = snapshot.version();
                row = snapshot.get(ROW);
            }
            if (row != null) {
                return cached(database, row.value());
            }
            byte[] fresh = new byte[KEY_BYTES];
            random.nextBytes(fresh);
            CommitRequest request =
                    new CommitRequest(
                            version,
                            List.of(),
                            List.of(),
                            List.of(ROW),
                            List.of(new RowWrite(ROW, fresh, null)));
            switch (database.commit(request).join()) {
                case CommitResult.Committed _ -> {
                    return cached(database, fresh);
                }
                case CommitResult.Refused(PetrichorException reason) -> throw reason;
                case CommitResult.Conflict _, CommitResult.Unknown _ -> {
                    if (attempt == ATTEMPTS_MAX) {
                        throw PetrichorException.of(
                                ErrorCode.UNAVAILABLE,
                                "the key for channels of the app {project} could not be stored;"
                                        + " retry later",
                                "project",
                                database.name());
                    }
                }
            }
        }
    }

    private static byte[] mac(SecretKeySpec key, byte[] content) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update("channel\0".getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(mac.doFinal(content), SIGNATURE_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no " + ALGORITHM, e);
        }
    }
}
