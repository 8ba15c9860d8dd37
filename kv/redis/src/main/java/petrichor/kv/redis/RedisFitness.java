package petrichor.kv.redis;

import java.util.HashMap;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;

/**
 * Checks whether a server keeps acknowledged writes, based on what it reports.
 *
 * @param store its address, without the password
 * @param info the response to INFO
 * @param settings the response to CONFIG GET of {@link #SETTINGS}
 */
record RedisFitness(String store, Map<String, String> info, Map<String, String> settings) {
    /** The longest argument of a command, in bytes. */
    private static final String VALUE_LIMIT = "proto-max-bulk-len";

    /** The longest request, in bytes; Redis ends the connection that sends more. */
    private static final String REQUEST_LIMIT = "client-query-buffer-limit";

    /** Size of a script request in addition to the rows: names, numbers and lengths. */
    private static final long AROUND_ROWS_BYTES = 128L << 10;

    static final String[] SETTINGS = {
        "appendonly",
        "appendfsync",
        "no-appendfsync-on-rewrite",
        "maxmemory-policy",
        VALUE_LIMIT,
        REQUEST_LIMIT
    };

    /** The first with script flags, and with ranges by bytes in both directions. */
    private static final int MAJOR_VERSION_MIN = 7;

    /** Parses lines of {@code name:value} under headings. */
    static Map<String, String> parsed(String info) {
        Map<String, String> facts = new HashMap<>();
        for (String line : info.split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                facts.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return facts;
    }

    /** FAILED_PRECONDITION, with what to change, for the first violated requirement. */
    void require() {
        String version = fact("redis_version");
        if (major(version) < MAJOR_VERSION_MIN) {
            throw unfit(
                    "it is Redis %s; version %d or newer is needed"
                            .formatted(version, MAJOR_VERSION_MIN));
        }
        if (!fact("redis_mode").equals("standalone")) {
            throw unfit(
                    "it runs in the mode '%s'; a Redis Cluster cannot write all rows of a commit"
                                    .formatted(fact("redis_mode"))
                            + " atomically: start it with 'cluster-enabled no'");
        }
        if (!fact("role").equals("master")) {
            throw unfit(
                    "it is a replica, which lags behind its master; name the master (%s:%s)"
                            .formatted(fact("master_host"), fact("master_port")));
        }
        requireSetting("appendonly", "yes", "acknowledged writes are lost in a restart");
        requireSetting(
                "appendfsync",
                "always",
                "recently acknowledged writes are lost in a power failure");
        requireSetting(
                "no-appendfsync-on-rewrite",
                "no",
                "nothing is synced to the disk while the append-only file is rewritten");
        requireSetting("maxmemory-policy", "noeviction", "rows are evicted when memory is short");
    }

    /** The maximum size of a request, of which half is reserved for lengths of arguments. */
    StoreLimits limits() {
        long value = bytes(VALUE_LIMIT);
        long request = bytes(REQUEST_LIMIT) / 2 - AROUND_ROWS_BYTES;
        int valueBytesMax = (int) Math.min(RedisStore.VALUE_BYTES_MAX, Math.min(value, request));
        return new StoreLimits(
                Math.min(RedisStore.KEY_BYTES_MAX, valueBytesMax), valueBytesMax, request);
    }

    private long bytes(String setting) {
        String text = settings.getOrDefault(setting, "unknown");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException unknown) {
            throw unfit("its %s is '%s', which is not a number of bytes".formatted(setting, text));
        }
    }

    private void requireSetting(String setting, String needed, String otherwise) {
        String found = settings.getOrDefault(setting, "unknown");
        if (!found.equals(needed)) {
            throw unfit(
                    "its %s is '%s', so that %s; put '%s %s' into its redis.conf and restart it"
                            .formatted(setting, found, otherwise, setting, needed));
        }
    }

    /** For a server whose user may not run CONFIG GET. */
    static PetrichorException hidden(String store, PetrichorException cause) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                cause,
                "the store {store} cannot be used: its sync settings cannot be read; allow its user"
                        + " to read them: ACL SETUSER <user> +config|get",
                "store",
                store);
    }

    private PetrichorException unfit(String what) {
        return StoreFailures.unfit(store, what);
    }

    private String fact(String name) {
        return info.getOrDefault(name, "unknown");
    }

    private static int major(String version) {
        int dot = version.indexOf('.');
        try {
            return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }
}
