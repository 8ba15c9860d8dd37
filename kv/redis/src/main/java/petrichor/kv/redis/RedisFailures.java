package petrichor.kv.redis;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/** Translates Redis errors by their first word. */
final class RedisFailures {
    /** Redis's error for an unknown script digest. */
    private static final String UNKNOWN_SCRIPT = "NOSCRIPT";

    private RedisFailures() {}

    /** The server's refusal, anywhere in the chain of causes. */
    static @Nullable RedisCommandExecutionException refusal(Throwable failure) {
        for (Throwable one = failure; one != null; one = one.getCause()) {
            if (one instanceof RedisCommandExecutionException refusal) {
                return refusal;
            }
        }
        return null;
    }

    static boolean isUnknownScript(PetrichorException failure) {
        RedisCommandExecutionException refusal = refusal(failure);
        return refusal != null && text(refusal).startsWith(UNKNOWN_SCRIPT);
    }

    static PetrichorException of(String store, RedisCommandExecutionException refusal) {
        String text = text(refusal);
        int space = text.indexOf(' ');
        String word = space < 0 ? text : text.substring(0, space);
        return switch (word) {
            case "NOAUTH", "WRONGPASS" ->
                    failure(
                            ErrorCode.UNAUTHENTICATED,
                            store,
                            "rejected the login; check the user and password in its address",
                            refusal);
            case "NOPERM" ->
                    failure(
                            ErrorCode.PERMISSION_DENIED,
                            store,
                            "denied a required permission (" + text + "); extend the user's ACL",
                            refusal);
            case "WRONGTYPE" ->
                    failure(
                            ErrorCode.FAILED_PRECONDITION,
                            store,
                            "has values of another program under Petrichor's name; use another name"
                                    + " in its address",
                            refusal);
            case "OOM" ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            store,
                            "is at its maxmemory; nothing was written; raise it",
                            refusal);
            case "MISCONF", "LOADING", "BUSY", "READONLY", "NOREPLICAS", "MASTERDOWN" ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            store,
                            "is not serving now; nothing was done (" + text + ")",
                            refusal);
            default -> withoutWord(store, text, refusal);
        };
    }

    /** Redis's older errors all start with ERR. */
    private static PetrichorException withoutWord(
            String store, String text, RedisCommandExecutionException refusal) {
        if (text.startsWith("ERR AUTH")) {
            return failure(
                    ErrorCode.UNAUTHENTICATED,
                    store,
                    "has no password; remove it from the address",
                    refusal);
        } else if (text.startsWith("ERR DB index")) {
            return failure(
                    ErrorCode.INVALID_ARGUMENT,
                    store,
                    "does not have the database that its address names; raise 'databases' in its"
                            + " redis.conf, or name another",
                    refusal);
        }
        return failure(
                ErrorCode.INTERNAL,
                store,
                "rejected a request as invalid (" + text + "); report this",
                refusal);
    }

    /** Whether the connection is unusable, and the next request must open a new one. */
    static boolean endsConnection(PetrichorException failure) {
        RedisCommandExecutionException refusal = refusal(failure);
        return refusal != null
                && (text(refusal).startsWith("READONLY") || text(refusal).startsWith("NOAUTH"));
    }

    private static PetrichorException failure(
            ErrorCode code, String store, String what, Throwable cause) {
        return PetrichorException.of(
                code, cause, "the store {store} {problem}", "problem", what, "store", store);
    }

    private static String text(RedisCommandExecutionException refusal) {
        String text = refusal.getMessage();
        return text == null ? "" : text;
    }

    static PetrichorException interrupted(String store) {
        return StoreFailures.unreachable(
                store, new InterruptedException("the waiting thread was interrupted"));
    }
}
