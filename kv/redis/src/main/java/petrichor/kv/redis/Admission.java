package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;

/**
 * Begins each new connection, and checks its server: that it syncs before it responds, that the
 * keys under our name are ours, and that it has lost no write that it acknowledged to this process.
 * The last check detects a server that was started on an older copy of its file, or a replica that
 * took over without the last writes.
 */
final class Admission {
    private static final String FORMAT = "petrichor 1";
    private static final String FORMAT_FAMILY = "petrichor ";

    private final RedisAddress address;

    /**
     * The highest number of writes that the server ever reported; 0 before the first connection.
     */
    private final AtomicLong writesSeen = new AtomicLong();

    private volatile boolean admitted;
    private volatile @Nullable StoreLimits limits;

    Admission(RedisAddress address) {
        this.address = address;
    }

    /** As the server reported them when the newest connection was opened. */
    StoreLimits limits() {
        return Objects.requireNonNull(limits, "no server has been accepted yet");
    }

    void noteWrites(long writes) {
        writesSeen.accumulateAndGet(writes, Math::max);
    }

    /** Logs in, and loads the scripts. Throws what to do about it if a check fails. */
    void require(RedisAsyncCommands<byte[], byte[]> server) {
        long seenBefore = writesSeen.get();
        // All at once: a single round trip.
        List<Future<String>> session = begin(server, address.session());
        Future<String> info = server.info();
        Future<Map<String, String>> settings = server.configGet(RedisFitness.SETTINGS);
        List<Future<String>> scripts = new ArrayList<>();
        for (Script script : Script.values()) {
            scripts.add(server.scriptLoad(script.text()));
        }
        session.forEach(this::answer);
        RedisFitness fitness =
                new RedisFitness(
                        address.text(), RedisFitness.parsed(answer(info)), settings(settings));
        fitness.require();
        scripts.forEach(this::answer);
        requireOurs(server, seenBefore);
        limits = fitness.limits();
        admitted = true;
    }

    private static List<Future<String>> begin(
            RedisAsyncCommands<byte[], byte[]> server, RedisAddress.Session session) {
        List<Future<String>> asked = new ArrayList<>();
        if (session.password() != null) {
            asked.add(server.auth(session.user(), session.password()));
        }
        if (session.database() != 0) {
            asked.add(server.select(session.database()));
        }
        return asked;
    }

    private Map<String, String> settings(Future<Map<String, String>> asked) {
        try {
            return answer(asked);
        } catch (PetrichorException refused) {
            if (refused.code() == ErrorCode.UNAVAILABLE) {
                throw refused;
            }
            throw RedisFitness.hidden(address.text(), refused);
        }
    }

    private void requireOurs(RedisAsyncCommands<byte[], byte[]> server, long seenBefore) {
        Keyspace names = address.keyspace();
        byte[][] keys = {
            names.format(), names.tables(), names.fences(), names.lastFence(), names.writes()
        };
        Future<List<byte[]>> asked =
                server.evalsha(
                        Script.OPEN.digest(),
                        ScriptOutputType.MULTI,
                        keys,
                        FORMAT.getBytes(UTF_8),
                        (admitted ? "0" : "1").getBytes(UTF_8));
        List<byte[]> found = answer(asked);
        String format = new String(found.get(0), UTF_8);
        long writes = Long.parseLong(new String(found.get(1), UTF_8));
        if (format.equals("-") || (format.equals(FORMAT) && writes < seenBefore)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the store {store} restarted without acknowledged writes: it contains"
                            + " {present} of {acknowledged}; start it with its newest append-only"
                            + " file, or restart this server to continue without them",
                    "store",
                    address.text(),
                    "present",
                    writes,
                    "acknowledged",
                    seenBefore);
        }
        if (format.startsWith(FORMAT_FAMILY) && !format.equals(FORMAT)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the store {store} cannot be used: its rows have the format '{format}' of a"
                            + " newer Petrichor; this version supports '{supported}'",
                    "store",
                    address.text(),
                    "format",
                    format,
                    "supported",
                    FORMAT);
        }
        if (!format.equals(FORMAT)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the store {store} cannot be used: keys starting with '{name}:' belong to"
                            + " another program; use another name in the address",
                    "store",
                    address.text(),
                    "name",
                    names.name());
        }
        noteWrites(writes);
    }

    private <T> T answer(Future<T> asked) {
        try {
            return asked.get(address.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            RedisCommandExecutionException refusal = RedisFailures.refusal(failure);
            throw refusal == null
                    ? StoreFailures.unreachable(address.text(), failure)
                    : RedisFailures.of(address.text(), refusal);
        } catch (TimeoutException late) {
            throw StoreFailures.unreachable(address.text(), late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw RedisFailures.interrupted(address.text());
        }
    }
}
