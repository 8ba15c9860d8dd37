package petrichor.apps.router;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.table.VersionName;

/**
 * The fields with which a request goes from the router that has routed it to another server of the
 * cluster, which passes it to an instance of the named version: it neither routes nor forwards it
 * once more. A body is sent when that server has an instance (100 Continue), so that a request that
 * is refused can go elsewhere. Stateless.
 */
final class PeerHop {
    private static final String GATE = "X-Petrichor-Gate";
    private static final String INSTANCE = "X-Petrichor-Instance";
    private static final String FAILURE = "X-Petrichor-Failure";
    private static final int PARTS = 3;

    /** Of one request: a server may just have lost its instances. */
    static final int ATTEMPTS_MAX = 4;

    /** Who has routed a request. */
    enum Source {
        /** This router. */
        CLIENT,
        /** The platform of this server, for the version that the request names. */
        PLATFORM,
        /** Another server of the cluster. */
        SERVER
    }

    /** A request that needs no route. */
    record Arrival(VersionName version, Optional<String> instance, Source source) {}

    private PeerHop() {}

    /** Of one request, which may go to several servers. Confined to its event loop. */
    static final class State {
        private boolean addressed;
        private boolean underWay;
        private boolean holdsBody;
        private boolean executed;

        /**
         * The head is about to be sent.
         *
         * @param body whether the request has one
         */
        void begin(HttpRequest request, @Nullable Backend to, InstanceRequest order, boolean body) {
            underWay = to != null && to.gate().isPresent();
            holdsBody = underWay && body;
            if (to != null && (underWay || addressed)) {
                addressed = true;
                address(request, to, order.instance(), holdsBody);
            }
        }

        /** Whether another server has the request. */
        boolean isUnderWay() {
            return underWay;
        }

        /** Whether the body waits until another server has an instance. */
        boolean holdsBody() {
            return holdsBody;
        }

        void releaseBody() {
            holdsBody = false;
        }

        /** The head was sent. Another server may still refuse the request. */
        boolean mayBeRefused() {
            executed |= underWay;
            return underWay;
        }

        /** Whether an instance of another server may have executed it, and it is not idempotent. */
        boolean mayHaveExecuted() {
            return executed;
        }

        /** The request goes elsewhere. */
        void end() {
            underWay = false;
            holdsBody = false;
            executed = false;
        }
    }

    private static void address(
            HttpRequest request, Backend to, Optional<String> instance, boolean holdsBody) {
        HttpHeaders headers = request.headers();
        List.of(GATE, INSTANCE, RouterSettings.VERSION_FIELD).forEach(headers::remove);
        headers.remove(HttpHeaderNames.EXPECT);
        to.gate()
                .ifPresent(
                        gate -> {
                            headers.set(GATE, gate.token());
                            headers.set(RouterSettings.VERSION_FIELD, to.version().toString());
                            instance.ifPresent(id -> headers.set(INSTANCE, id));
                            if (holdsBody) {
                                headers.set(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE);
                            }
                        });
    }

    /** Null for a request that this router routes; forged fields do not reach instances. */
    static @Nullable Arrival arrival(
            RouterSettings settings, ClientConnection.Link link, HttpHeaders headers) {
        String named = headers.get(RouterSettings.VERSION_FIELD);
        if (named == null) {
            return null;
        }
        String[] parts = named.split("/", -1);
        if (parts.length != PARTS || List.of(parts).contains("")) {
            return null;
        }
        VersionName version = new VersionName(parts[0], parts[1], parts[2]);
        if (same(settings.platformToken(), headers.get(RouterSettings.PLATFORM_FIELD))) {
            return new Arrival(version, Optional.empty(), Source.PLATFORM);
        }
        boolean server =
                settings.peers().isPresent()
                        && (settings.peers().get().tls().isEmpty() || link.ofServer())
                        && same(settings.peers().map(PeerAccess::token), headers.get(GATE));
        return server
                ? new Arrival(version, Optional.ofNullable(headers.get(INSTANCE)), Source.SERVER)
                : null;
    }

    /** Compares in constant time. */
    static boolean same(Optional<String> token, @Nullable String given) {
        return token.isPresent()
                && given != null
                && MessageDigest.isEqual(
                        token.get().getBytes(StandardCharsets.UTF_8),
                        given.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A response has arrived. The fields between servers do not reach clients.
     *
     * @return what another server has answered instead of an instance; null if an instance has
     */
    static @Nullable RouterFailure answered(
            HttpResponse response,
            InstanceRequest order,
            @Nullable Backend by,
            ExchangeFacts facts) {
        HttpHeaders headers = response.headers();
        boolean forwarded = by != null && by.gate().isPresent();
        if (!forwarded && order.source() != Source.SERVER) {
            return null;
        }
        String reason = headers.get(FAILURE);
        String instance = headers.get(INSTANCE, "");
        headers.remove(FAILURE);
        headers.remove(INSTANCE);
        if (!forwarded) {
            headers.set(INSTANCE, by == null ? "" : by.id());
            return null;
        }
        if (reason != null) {
            return RouterFailure.ofServer(response.status(), reason);
        }
        facts.instance(instance);
        return null;
    }

    /** Informs the other server that the router has answered, and not an instance. */
    static void failed(HttpHeaders headers, RouterFailure failure) {
        headers.set(FAILURE, failure.reason());
    }
}
