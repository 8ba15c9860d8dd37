package petrichor.kv.dynamodb;

import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;

/** Translates the SDK's exceptions. */
final class DynamoDbFailures {
    private static final Set<String> UNKNOWN_CALLER =
            Set.of(
                    "UnrecognizedClientException",
                    "MissingAuthenticationTokenException",
                    "InvalidSignatureException",
                    "IncompleteSignatureException",
                    "ExpiredTokenException");

    /** Another request is changing the same item or table; a retry succeeds. */
    private static final Set<String> CONFLICTS =
            Set.of(
                    "TransactionConflictException",
                    "TransactionInProgressException",
                    "ReplicatedWriteConflictException",
                    "LimitExceededException");

    /** Status codes from here on: throttling, or a failure of DynamoDB itself. */
    private static final int SERVER_FAILURE = 500;

    private DynamoDbFailures() {}

    static PetrichorException of(String store, @Nullable String table, SdkException failed) {
        if (table != null && failed instanceof ResourceNotFoundException) {
            return StoreFailures.noSuchTable(table);
        }
        if (failed instanceof AwsServiceException answer) {
            String code =
                    answer.awsErrorDetails() == null ? "" : answer.awsErrorDetails().errorCode();
            if (UNKNOWN_CALLER.contains(code)) {
                return refusal(
                        ErrorCode.UNAUTHENTICATED,
                        store,
                        "rejected the credentials",
                        failed,
                        "set the access key's id and secret as user and password of the address, or"
                                + " for the credential chain of the AWS SDK");
            }
            if (code.startsWith("AccessDenied")) {
                return refusal(
                        ErrorCode.PERMISSION_DENIED,
                        store,
                        "denied a required permission",
                        failed,
                        "allow the key all dynamodb actions on tables of this prefix");
            }
            if (answer.isThrottlingException() || CONFLICTS.contains(code)) {
                return busy(store, failed);
            }
            if (answer.statusCode() < SERVER_FAILURE) {
                return PetrichorException.of(
                        ErrorCode.INTERNAL,
                        failed,
                        "the store {store} rejected a request: {reason}",
                        "reason",
                        firstLine(failed),
                        "store",
                        store);
            }
        }
        if (failed instanceof SdkClientException
                && firstLine(failed).startsWith("Unable to load credentials")) {
            return refusal(
                    ErrorCode.UNAUTHENTICATED,
                    store,
                    "cannot be called: there are no credentials",
                    failed,
                    "set the access key's id and secret as user and password of the address, or for"
                            + " the credential chain of the AWS SDK");
        }
        return StoreFailures.unreachable(store, new IOException(firstLine(failed), failed));
    }

    /**
     * Whether the same request can succeed shortly after; the SDK does not recognize all of these.
     */
    static boolean isConflict(Throwable failed) {
        return failed instanceof AwsServiceException answer
                && answer.awsErrorDetails() != null
                && CONFLICTS.contains(answer.awsErrorDetails().errorCode());
    }

    /** It is unknown whether an earlier attempt at the same request was carried out. */
    private static PetrichorException busy(String store, SdkException failed) {
        return refusal(
                ErrorCode.UNAVAILABLE,
                store,
                "throttled a request and its retries",
                failed,
                "it is retried with each request; if this persists, the table needs more capacity");
    }

    private static PetrichorException refusal(
            ErrorCode code, String store, String what, SdkException failed, String remedy) {
        return PetrichorException.of(
                code,
                failed,
                "the store {store} {problem} ({reason}); {remedy}",
                "problem",
                what,
                "reason",
                firstLine(failed),
                "remedy",
                remedy,
                "store",
                store);
    }

    private static String firstLine(Throwable failed) {
        String message = failed.getMessage();
        return message == null || message.isBlank()
                ? failed.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }
}
