package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/** Translates the driver's failures, adding the store's address. */
record CassandraFailures(String store) {

    <T> CompletableFuture<T> translated(CompletionStage<T> answer) {
        return answer.toCompletableFuture()
                .exceptionally(
                        failure -> {
                            throw of(failure);
                        });
    }

    PetrichorException of(Throwable failure) {
        return switch (failure) {
            case PetrichorException ours -> ours;
            case CompletionException wrapped when wrapped.getCause() != null ->
                    of(wrapped.getCause());
            case AuthenticationException refused -> notLetIn(refused);
            case AllNodesFailedException all
                    when firstOf(all) instanceof AuthenticationException refused ->
                    notLetIn(refused);
            case UnauthorizedException refused ->
                    failure(
                            ErrorCode.PERMISSION_DENIED,
                            "denied a required permission (" + refused.getMessage() + "); grant it",
                            refused);
            case InvalidQueryException tooLarge when isTooLarge(tooLarge) ->
                    failure(
                            ErrorCode.FAILED_PRECONDITION,
                            "refuses a write that its limits allowed when it was opened ("
                                    + tooLarge.getMessage()
                                    + "); raise that limit in cassandra.yaml to what it was, or"
                                    + " restart Petrichor so that it asks for the limits again",
                            tooLarge);
            case InvalidQueryException invalid ->
                    failure(
                            ErrorCode.FAILED_PRECONDITION,
                            "no longer has its tables, or they were altered ("
                                    + invalid.getMessage()
                                    + "); reopen it, or use another name in its address",
                            invalid);
            case SyntaxError defect ->
                    failure(
                            ErrorCode.INTERNAL,
                            "rejected a request as invalid ("
                                    + defect.getMessage()
                                    + "); report this",
                            defect);
            case AllNodesFailedException all -> StoreFailures.unreachable(store, firstOf(all));
            default -> StoreFailures.unreachable(store, failure);
        };
    }

    private PetrichorException notLetIn(AuthenticationException refused) {
        return failure(
                ErrorCode.UNAUTHENTICATED,
                "rejected the login; check the user and password in its address",
                refused);
    }

    /** Whether the request is known not to have reached a node. */
    static boolean neverSent(Throwable failure) {
        return failure instanceof AllNodesFailedException
                || (failure instanceof CompletionException wrapped
                        && wrapped.getCause() instanceof AllNodesFailedException);
    }

    /** Cassandra has no error code for this. */
    private static boolean isTooLarge(InvalidQueryException refused) {
        String message = String.valueOf(refused.getMessage());
        return message.contains("exceeds allowed maximum")
                || message.contains("exceeds the maximum")
                || message.contains("is too large for the maximum size")
                || message.contains("Batch too large");
    }

    private static Throwable firstOf(AllNodesFailedException all) {
        for (List<Throwable> errors : all.getAllErrors().values()) {
            if (!errors.isEmpty()) {
                return errors.getFirst();
            }
        }
        return all;
    }

    private PetrichorException failure(ErrorCode code, String what, Throwable cause) {
        return PetrichorException.of(
                code, cause, "the store {store} {problem}", "problem", what, "store", store);
    }
}
