package petrichor.frontends.appengine;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A call of an app.
 *
 * @param method such as {@code Get}
 * @param request the encoded request message; owned by the service
 * @param app the calling app
 * @param cancellation ends at the deadline of the call, or when the app disconnects
 */
public record ServiceCall(
        String method, byte[] request, CallingApp app, Cancellation cancellation) {

    /** The request message. INVALID_ARGUMENT if the bytes are not one. */
    public <M> M parsed(Parser<M> parser) {
        try {
            return parser.parseFrom(request);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    damaged,
                    "the request of {method} is not a valid message: {why}",
                    "method",
                    method,
                    "why",
                    String.valueOf(damaged.getMessage()));
        }
    }

    /** For methods that the service does not have. */
    public PetrichorException unknownMethod() {
        return PetrichorException.of(
                ErrorCode.UNIMPLEMENTED, "there is no method {method}", "method", method);
    }
}
