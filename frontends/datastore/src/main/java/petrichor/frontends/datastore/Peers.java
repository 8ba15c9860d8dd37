package petrichor.frontends.datastore;

import io.grpc.Metadata;
import io.netty.channel.EventLoopGroup;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;

/**
 * What the front end of a server that is not alone has more: other servers send it calls that they
 * got, and ask it things of their own.
 *
 * @param routing where calls are carried out
 * @param token what peers must send along; null lets in whoever can reach us
 * @param questions that only peers may ask, by gRPC's full name of them; none of them waits
 * @param network threads of the connections to peers, for those of clients too: a call that is sent
 *     on often stays on one thread then. Empty if the front end is to have its own. They belong to
 *     whoever made them
 */
public record Peers(
        Routing routing,
        @Nullable String token,
        Map<String, Function<byte[], CompletableFuture<byte[]>>> questions,
        Optional<EventLoopGroup> network) {
    /** A server that is alone. */
    public static final Peers NONE = new Peers(Routing.HERE, null, Map.of(), Optional.empty());

    /** On a call that a server sends on outside of the stream, since it is large. */
    public static final Metadata.Key<String> FORWARDED =
            Metadata.Key.of("petrichor-forwarded", Metadata.ASCII_STRING_MARSHALLER);

    /** On every call between servers, if there is a token. */
    public static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("petrichor-cluster-token", Metadata.ASCII_STRING_MARSHALLER);

    /** On the refusal of a call that came to the wrong server: nothing was done. */
    public static final Metadata.Key<String> NOT_MINE =
            Metadata.Key.of("petrichor-not-mine", Metadata.ASCII_STRING_MARSHALLER);

    public Peers {
        questions = Map.copyOf(questions);
    }

    /**
     * The caller to whom a call between servers belongs. A server that knows the cluster's token
     * has checked its client already. UNAUTHENTICATED for anybody else.
     *
     * @param client who the API's own token says it is; asked where servers have no token
     */
    Caller admit(Metadata headers, Supplier<Caller> client) {
        if (token == null) {
            Caller caller = client.get();
            caller.requireEverywhere(Role.ADMIN);
            return caller;
        }
        String given = headers.get(TOKEN);
        if (given == null
                || !MessageDigest.isEqual(
                        token.getBytes(StandardCharsets.UTF_8),
                        given.getBytes(StandardCharsets.UTF_8))) {
            throw new PetrichorException(
                    ErrorCode.UNAUTHENTICATED,
                    "only servers of this cluster may call this: the caller must have the same"
                            + " cluster.token");
        }
        return Caller.PEER;
    }
}
