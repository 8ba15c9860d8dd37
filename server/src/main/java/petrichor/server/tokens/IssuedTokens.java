package petrichor.server.tokens;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.TokenHash;
import petrichor.kv.KeyRange;
import petrichor.services.users.Accounts;
import petrichor.services.users.SystemRows;
import petrichor.transactions.Databases;

/**
 * The tokens that servers issued: rows of type {@code T} in the system database, read by every
 * server of the cluster every two seconds. Requests are checked against the last copy; while the
 * database cannot be read, that copy stays. A token is found by its hash, whose comparison reveals
 * nothing about the token. Thread-safe.
 */
public final class IssuedTokens implements AccessTokens.Issued, AutoCloseable {
    static final int TOKENS_MAX = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(IssuedTokens.class);
    private static final int TYPE = 'T';
    private static final int TOKEN_BYTES = 32;
    private static final Duration REFRESH = Duration.ofSeconds(2);

    /** How exact the times of last use are; each is a commit. */
    private static final Duration USE_PRECISION = Duration.ofMinutes(1);

    private static final Duration END_WITHIN = Duration.ofSeconds(5);

    private final Supplier<Databases> databases;
    private final SystemRows rows;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Instant> used = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile Map<String, IssuedToken> byHash = Map.of();
    private volatile boolean closed;
    private boolean failing;

    public IssuedTokens(Supplier<Databases> databases) {
        this.databases = databases;
        this.rows = new SystemRows(() -> databases.get().open(Accounts.DATABASE));
        this.thread = Thread.ofPlatform().daemon().name("issued-tokens").unstarted(this::follow);
    }

    /** Reads the tokens, now and from time to time. */
    public void start() {
        refresh();
        thread.start();
    }

    @Override
    public @Nullable Caller find(TokenHash hash) {
        IssuedToken token = byHash.get(hash.hex());
        Instant now = now();
        if (token == null || !token.validAt(now)) {
            return null;
        }
        Instant known = used.get(token.name());
        if (known == null || now.isAfter(known.plus(USE_PRECISION))) {
            used.put(token.name(), now);
        }
        return token.caller();
    }

    private static Instant now() {
        return Instant.ofEpochMilli(TimeSource.SYSTEM.epochMicros() / 1_000);
    }

    /** In the order of their names. */
    public List<IssuedToken> list() {
        return stored();
    }

    /** ALREADY_EXISTS if there is a token of this name. Returns the token itself. */
    public String issue(String name, Role role, Set<String> projects, Optional<Duration> lifetime) {
        if (byHash.size() >= TOKENS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "there are {tokensMax} tokens already; revoke some",
                    "tokensMax",
                    TOKENS_MAX);
        }
        byte[] bytes = new byte[TOKEN_BYTES];
        random.nextBytes(bytes);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        Instant now = now();
        IssuedToken issued =
                new IssuedToken(
                        name,
                        role,
                        projects,
                        TokenHash.of(token),
                        new IssuedToken.Times(now, lifetime.map(now::plus), Optional.empty()));
        rows.change(
                key(name),
                before -> {
                    if (before != null) {
                        throw PetrichorException.of(
                                ErrorCode.ALREADY_EXISTS,
                                "there is a token {name} already; revoke it, or use another name",
                                "name",
                                name);
                    }
                    return issued.encoded();
                });
        refresh();
        return token;
    }

    /** NOT_FOUND if there is no such token. */
    public IssuedToken require(String name) {
        byte[] row = rows.get(key(name));
        if (row == null) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "no server issued a token {name}; those of auth.tokens-file are removed there",
                    "name",
                    name);
        }
        return IssuedToken.decode(row);
    }

    /** The token is invalid here at once, and on other servers within seconds. */
    public void revoke(String name) {
        rows.change(key(name), _ -> null);
        used.remove(name);
        refresh();
    }

    private static byte[] key(String name) {
        return new OrderedWriter().put(TYPE).putString(name).toBytes();
    }

    private List<IssuedToken> stored() {
        return stored(databases.get(), rows);
    }

    private static List<IssuedToken> stored(Databases databases, SystemRows rows) {
        // Opening the database would create it.
        return databases.names().contains(Accounts.DATABASE)
                ? rows.scan(KeyRange.ofPrefix(new OrderedWriter().put(TYPE).toBytes())).stream()
                        .map(IssuedToken::decode)
                        .toList()
                : List.of();
    }

    /** Keeps the tokens when other databases replace those that hold them. */
    public static void copy(Databases from, Databases to) {
        List<IssuedToken> kept = stored(from, new SystemRows(() -> from.open(Accounts.DATABASE)));
        SystemRows rows = new SystemRows(() -> to.open(Accounts.DATABASE));
        kept.forEach(token -> rows.change(key(token.name()), _ -> token.encoded()));
    }

    private synchronized void refresh() {
        try {
            Map<String, IssuedToken> read = new HashMap<>();
            stored().forEach(token -> read.put(token.hash().hex(), token));
            byHash = Map.copyOf(read);
            failing = false;
        } catch (RuntimeException unreadable) {
            if (!failing) {
                failing = true;
                LOG.warn("issued tokens cannot be read: {}", unreadable.getMessage());
            }
        }
    }

    private void follow() {
        while (!closed) {
            LockSupport.parkNanos(this, REFRESH.toNanos());
            if (!closed) {
                refresh();
                recordUse();
            }
        }
    }

    private void recordUse() {
        for (IssuedToken token : byHash.values()) {
            Instant time = used.get(token.name());
            Optional<Instant> known = token.times().used();
            if (time != null
                    && known.map(before -> time.isAfter(before.plus(USE_PRECISION))).orElse(true)) {
                try {
                    rows.change(
                            key(token.name()),
                            before ->
                                    before == null
                                            ? null
                                            : IssuedToken.decode(before).usedAt(time).encoded());
                } catch (RuntimeException unwritable) {
                    LOG.debug("the use of a token was not recorded", unwritable);
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (thread.isAlive()) {
                var _ = thread.join(END_WITHIN);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
