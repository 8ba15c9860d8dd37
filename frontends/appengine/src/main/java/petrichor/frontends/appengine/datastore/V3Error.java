package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Error.ErrorCode;
import petrichor.base.OverQuota;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.ServiceError;

/** Errors in the codes of this API. Stateless. */
final class V3Error {
    private static final String NO_INDEX = "no matching index found";

    private V3Error() {}

    static ServiceError badRequest(String detail) {
        return new ServiceError(ErrorCode.BAD_REQUEST_VALUE, detail);
    }

    static ServiceError exhausted(String detail) {
        return new ServiceError(ErrorCode.RESOURCE_EXHAUSTED_VALUE, detail);
    }

    static ServiceError timeout(String detail) {
        return new ServiceError(ErrorCode.TIMEOUT_VALUE, detail);
    }

    static ServiceError conflict(String detail) {
        return new ServiceError(ErrorCode.CONCURRENT_TRANSACTION_VALUE, detail);
    }

    /** BAD_REQUEST unless the condition holds. */
    static void check(boolean condition, String detail) {
        if (!condition) {
            throw badRequest(detail);
        }
    }

    /**
     * The failure in this API's codes; unchanged if the method does not exist, or if the app is
     * over a quota, which every API of the SDKs reports alike.
     */
    static RuntimeException of(PetrichorException failure) {
        return failure.code() == petrichor.base.ErrorCode.UNIMPLEMENTED
                        || OverQuota.isReasonOf(failure)
                ? failure
                : new ServiceError(code(failure).getNumber(), text(failure));
    }

    private static String text(PetrichorException failure) {
        return String.valueOf(failure.getMessage());
    }

    private static ErrorCode code(PetrichorException failure) {
        return switch (failure.code()) {
            case INVALID_ARGUMENT, UNIMPLEMENTED -> ErrorCode.BAD_REQUEST;
            case ALREADY_EXISTS, NOT_FOUND -> ErrorCode.BAD_REQUEST;
            case ABORTED -> ErrorCode.CONCURRENT_TRANSACTION;
            case FAILED_PRECONDITION ->
                    text(failure).startsWith(NO_INDEX)
                            ? ErrorCode.NEED_INDEX
                            : ErrorCode.BAD_REQUEST;
            case UNAUTHENTICATED, PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
            // The SDKs describe TIMEOUT as: timed out, or temporarily unavailable.
            case DEADLINE_EXCEEDED, UNAVAILABLE -> ErrorCode.TIMEOUT;
            case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
            case INTERNAL -> ErrorCode.INTERNAL_ERROR;
        };
    }
}
