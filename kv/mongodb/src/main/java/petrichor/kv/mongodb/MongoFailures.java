package petrichor.kv.mongodb;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/** Translates the driver's failures. */
final class MongoFailures {
    private static final int UNAUTHORIZED = 13;
    private static final int AUTHENTICATION_FAILED = 18;
    private static final int AUTHENTICATION_NEEDED = 334;

    private MongoFailures() {}

    static PetrichorException of(String store, MongoException failure) {
        for (Throwable one = failure; one != null; one = one.getCause()) {
            if (one instanceof MongoSecurityException) {
                return lockedOut(store, failure);
            }
        }
        // A rejected login appears as a server selection timeout with the driver's message.
        if (failure instanceof MongoTimeoutException
                && String.valueOf(failure.getMessage()).contains("MongoSecurityException")) {
            return lockedOut(store, failure);
        }
        return switch (failure) {
            case MongoInterruptedException _ -> {
                Thread.currentThread().interrupt();
                yield StoreFailures.unreachable(store, failure);
            }
            case MongoNotPrimaryException _, MongoNodeIsRecoveringException _ ->
                    StoreFailures.unreachable(store, failure);
            case MongoCommandException refusal -> refused(store, refusal, refusal.getErrorCode());
            case MongoWriteException refusal ->
                    refused(store, refusal, refusal.getError().getCode());
            default -> StoreFailures.unreachable(store, failure);
        };
    }

    private static PetrichorException lockedOut(String store, MongoException failure) {
        return failure(
                ErrorCode.UNAUTHENTICATED,
                store,
                "rejected the login; check the user, the password and auth-source in its address",
                failure);
    }

    private static PetrichorException refused(String store, MongoException refusal, int code) {
        if (code == UNAUTHORIZED && firstLine(refusal).contains("requires authentication")) {
            return lockedOut(store, refusal);
        }
        return switch (code) {
            case AUTHENTICATION_FAILED, AUTHENTICATION_NEEDED -> lockedOut(store, refusal);
            case UNAUTHORIZED ->
                    failure(
                            ErrorCode.PERMISSION_DENIED,
                            store,
                            "denied a required permission; give the user the role readWrite on"
                                    + " Petrichor's database",
                            refusal);
            default ->
                    failure(
                            ErrorCode.INTERNAL,
                            store,
                            "refused a request (" + firstLine(refusal) + ")",
                            refusal);
        };
    }

    private static String firstLine(MongoException failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    }

    /**
     * Whether the server refused the request or never received it. Otherwise a write may have been
     * executed.
     */
    static boolean nothingWasDone(MongoException failure) {
        return failure instanceof MongoTimeoutException
                || failure instanceof MongoSocketOpenException
                || failure instanceof MongoSecurityException
                || failure instanceof MongoWriteException
                || (failure instanceof MongoCommandException
                        && !(failure instanceof MongoNotPrimaryException)
                        && !(failure instanceof MongoNodeIsRecoveringException));
    }

    static boolean isDuplicateKey(@Nullable Throwable failure) {
        return failure instanceof MongoWriteException refusal
                && refusal.getError().getCategory() == ErrorCategory.DUPLICATE_KEY;
    }

    private static PetrichorException failure(
            ErrorCode code, String store, String what, Throwable cause) {
        return PetrichorException.of(
                code, cause, "the store {store} {problem}", "problem", what, "store", store);
    }
}
