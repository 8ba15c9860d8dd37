package petrichor.frontends.datastore;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import petrichor.base.ErrorCode;
import petrichor.frontends.http.HttpStatus;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/**
 * A failed request as reported to the client: a {@link CallFailure} in Google's error model and in
 * HTTP.
 *
 * @param httpStatus usually that of the code; more specific for errors of HTTP itself
 */
record Failure(ErrorCode code, String text, int httpStatus) {
    static final String DOMAIN = "petrichor";

    Failure {
        text = new CallFailure(code, text).text();
    }

    Failure(ErrorCode code, String text) {
        this(code, text, HttpStatus.of(code));
    }

    static Failure of(Throwable thrown, Trace trace) {
        CallFailure failure = CallFailure.of(thrown, trace);
        return new Failure(failure.code(), failure.text());
    }

    /** The number of the code in google.rpc.Code and in gRPC. */
    int number() {
        return new CallFailure(code, text).number();
    }

    Status status() {
        return Status.newBuilder()
                .setCode(number())
                .setMessage(text)
                .addDetails(
                        Any.pack(
                                ErrorInfo.newBuilder()
                                        .setReason(code.name())
                                        .setDomain(DOMAIN)
                                        .build()))
                .build();
    }
}
