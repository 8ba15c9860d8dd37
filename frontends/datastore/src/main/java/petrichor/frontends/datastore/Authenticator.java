package petrichor.frontends.datastore;

import io.grpc.Contexts;
import io.grpc.ForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.AppCallers;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.access.Caller;
import petrichor.frontends.http.GrpcAccess;

/**
 * Authenticates requests by their token; admits all requests if none is configured. The tokens may
 * be replaced at any time; each request is checked against the current ones. Thread-safe.
 */
final class Authenticator {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final AuditLog audit;
    private final @Nullable AppCallers apps;
    private volatile AccessTokens tokens;

    /** The end of this server, at the port for apps. */
    private volatile @Nullable InetSocketAddress appsAt;

    Authenticator(AccessTokens tokens, AuditLog audit) {
        this.tokens = tokens;
        this.audit = audit;
        this.apps = null;
    }

    /** Admits instances of apps by their connections; tokens have no effect. */
    Authenticator(AppCallers apps, AuditLog audit) {
        this.tokens = AccessTokens.NONE;
        this.audit = audit;
        this.apps = apps;
    }

    void appsConnectTo(InetSocketAddress address) {
        appsAt = address;
    }

    void replace(AccessTokens others) {
        tokens = others;
    }

    /** Whether callers must send a token. */
    boolean required() {
        return tokens.required();
    }

    /** UNAUTHENTICATED unless the header's value contains a valid token, or an app calls. */
    Caller caller(AccessAttempt attempt, @Nullable String authorization) {
        return apps == null ? tokens.caller(authorization) : app(apps, attempt);
    }

    private Caller app(AppCallers callers, AccessAttempt attempt) {
        InetSocketAddress here = appsAt;
        InetSocketAddress client = attempt.client().orElse(null);
        if (here == null || client == null) {
            throw PetrichorException.of(
                    ErrorCode.UNAUTHENTICATED, "the connection does not identify an app");
        }
        return callers.caller(client, here);
    }

    Caller caller(AccessAttempt attempt, Metadata headers) {
        return caller(attempt, headers.get(AUTHORIZATION));
    }

    /** Starts the access check of a gRPC request. */
    AccessAttempt attempt(ServerCall<?, ?> call, String method) {
        return new AccessAttempt(
                audit, "grpc", method, call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    }

    /** Starts the access check of an HTTP request. */
    AccessAttempt attempt(@Nullable SocketAddress from, String method) {
        return new AccessAttempt(audit, "http", method, from);
    }

    /**
     * Authenticates calls of services other than the API; {@link GrpcAccess} provides the attempt
     * to them.
     */
    ServerInterceptor interceptor() {
        return new ServerInterceptor() {
            @Override
            public <Q, S> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
                AccessAttempt attempt =
                        attempt(call, call.getMethodDescriptor().getFullMethodName());
                ServerCall<Q, S> audited =
                        new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                            @Override
                            public void close(Status status, Metadata trailers) {
                                attempt.end(status.getCode().name());
                                super.close(status, trailers);
                            }
                        };
                try {
                    attempt.admit(caller(attempt, headers));
                } catch (PetrichorException refused) {
                    audited.close(
                            Status.UNAUTHENTICATED.withDescription(refused.getMessage()),
                            new Metadata());
                    return new ServerCall.Listener<>() {};
                }
                return Contexts.interceptCall(GrpcAccess.of(attempt), audited, headers, next);
            }
        };
    }
}
