package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import petrichor.base.OverQuota;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.ServiceError;

/** Errors in the codes of this API. Stateless. */
final class TaskQueueErrors {
    private TaskQueueErrors() {}

    static ServiceError of(ErrorCode code, String detail) {
        return new ServiceError(code.getNumber(), detail);
    }

    /** An error of the datastore, which SDKs raise as one of the datastore and of this API. */
    static ServiceError ofDatastore(ServiceError failure) {
        return new ServiceError(ErrorCode.DATASTORE_ERROR_VALUE + failure.code(), failure.detail());
    }

    /** The failure in this API's codes; unchanged if every API of the SDK reports it alike. */
    static RuntimeException of(PetrichorException failure) {
        return switch (failure.code()) {
            case NOT_FOUND -> of(ErrorCode.UNKNOWN_QUEUE, failure);
            case INVALID_ARGUMENT -> of(ErrorCode.INVALID_REQUEST, failure);
            case FAILED_PRECONDITION -> of(ErrorCode.INVALID_QUEUE_MODE, failure);
            case ALREADY_EXISTS -> of(ErrorCode.TASK_ALREADY_EXISTS, failure);
            case PERMISSION_DENIED, UNAUTHENTICATED -> of(ErrorCode.PERMISSION_DENIED, failure);
            case ABORTED, UNAVAILABLE -> of(ErrorCode.TRANSIENT_ERROR, failure);
            // SDKs raise OverQuotaError for every API.
            case RESOURCE_EXHAUSTED ->
                    OverQuota.isReasonOf(failure)
                            ? failure
                            : of(ErrorCode.TRANSIENT_ERROR, failure);
            case DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL -> failure;
        };
    }

    private static ServiceError of(ErrorCode code, PetrichorException failure) {
        return of(code, String.valueOf(failure.getMessage()));
    }
}
