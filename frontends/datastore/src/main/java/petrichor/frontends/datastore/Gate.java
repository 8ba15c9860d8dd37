package petrichor.frontends.datastore;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Lets callers in who know the token; lets everybody in when there is none. */
final class Gate {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static final String SCHEME = "Bearer ";

    private final byte @Nullable [] token;

    Gate(@Nullable String token) {
        this.token = token == null ? null : token.getBytes(StandardCharsets.UTF_8);
    }

    /** UNAUTHENTICATED unless the header's value carries the token. */
    void check(@Nullable String authorization) {
        if (!admits(authorization)) {
            throw new PetrichorException(
                    ErrorCode.UNAUTHENTICATED,
                    "this server needs a token: send the header \"Authorization: Bearer TOKEN\""
                            + " with the token of its configuration (auth.token); petrichor's own"
                            + " commands take it from --token or PETRICHOR_TOKEN");
        }
    }

    /** For services whose calls do not check by themselves. */
    ServerInterceptor interceptor() {
        return new ServerInterceptor() {
            @Override
            public <Q, S> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
                try {
                    check(headers.get(AUTHORIZATION));
                } catch (PetrichorException refused) {
                    call.close(
                            Status.UNAUTHENTICATED.withDescription(refused.getMessage()),
                            new Metadata());
                    return new ServerCall.Listener<>() {};
                }
                return next.startCall(call, headers);
            }
        };
    }

    private boolean admits(@Nullable String authorization) {
        if (token == null) {
            return true;
        }
        if (authorization == null
                || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        byte[] given =
                authorization.substring(SCHEME.length()).trim().getBytes(StandardCharsets.UTF_8);
        // takes the same time wherever the first wrong byte is
        return MessageDigest.isEqual(token, given);
    }
}
