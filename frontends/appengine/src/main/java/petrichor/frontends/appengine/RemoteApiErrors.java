package petrichor.frontends.appengine;

import com.google.apphosting.base.protos.api.RemoteApiPb.ApplicationError;
import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.apphosting.base.protos.api.RemoteApiPb.RpcError;
import com.google.apphosting.base.protos.api.RemoteApiPb.RpcError.ErrorCode;
import petrichor.rpc.CallFailure;

/**
 * Failures as SDKs expect them: application errors become the exceptions of an API, the codes of
 * other errors those of the SDK's runtime.
 */
final class RemoteApiErrors {
    private RemoteApiErrors() {}

    static Response application(ServiceError error) {
        return Response.newBuilder()
                .setApplicationError(
                        ApplicationError.newBuilder()
                                .setCode(error.code())
                                .setDetail(error.detail()))
                .build();
    }

    static Response rpc(ErrorCode code, String detail) {
        return Response.newBuilder()
                .setRpcError(RpcError.newBuilder().setCode(code.getNumber()).setDetail(detail))
                .build();
    }

    static Response of(CallFailure failure) {
        return rpc(code(failure), failure.text());
    }

    /**
     * An API maps its own errors to application errors, so what arrives here concerns the call.
     * PARSE_ERROR is an invalid argument to the SDKs, CAPABILITY_DISABLED a temporary failure.
     */
    private static ErrorCode code(CallFailure failure) {
        return switch (failure.code()) {
            case INVALID_ARGUMENT -> ErrorCode.PARSE_ERROR;
            case UNIMPLEMENTED -> ErrorCode.CALL_NOT_FOUND;
            case RESOURCE_EXHAUSTED -> ErrorCode.OVER_QUOTA;
            case UNAUTHENTICATED, PERMISSION_DENIED -> ErrorCode.SECURITY_VIOLATION;
            case UNAVAILABLE -> ErrorCode.CAPABILITY_DISABLED;
            case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
            case NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED, INTERNAL ->
                    ErrorCode.UNKNOWN;
        };
    }
}
