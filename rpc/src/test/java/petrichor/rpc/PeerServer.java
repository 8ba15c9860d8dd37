package petrichor.rpc;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;

/** A test server that owns every database and has one routed service. */
final class PeerServer implements AutoCloseable {
    static final String SERVICE = "test.Service";

    private final CountDownLatch silent = new CountDownLatch(1);
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final Queue<String> traces = new ConcurrentLinkedQueue<>();
    private final ClusterRpc rpc;
    private Server server;

    private PeerServer(ClusterRpc rpc, int port) throws IOException {
        this.rpc = rpc;
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .directExecutor();
        rpc.authentication()
                .certificates()
                .ifPresent(certificates -> builder.sslContext(certificates.accepting()));
        for (ServerServiceDefinition service : rpc.services()) {
            builder.addService(service);
        }
        this.server = builder.build().start();
        rpc.register(new Service());
    }

    static PeerServer start(PeerAuthentication authentication, ProtocolVersions versions)
            throws IOException {
        return start(authentication, versions, 0);
    }

    static PeerServer start(PeerAuthentication authentication, ProtocolVersions versions, int port)
            throws IOException {
        return new PeerServer(
                new ClusterRpc(
                        new Owns(),
                        new RpcSettings(
                                authentication, Duration.ofSeconds(5), Duration.ofSeconds(60)),
                        versions),
                port);
    }

    Peer peer() {
        return new Peer("m", "localhost:" + server.getPort());
    }

    int port() {
        return server.getPort();
    }

    /** Counted down when a call that gets no response has arrived. */
    CountDownLatch silent() {
        return silent;
    }

    /** Counted down when that call was cancelled. */
    CountDownLatch cancelled() {
        return cancelled;
    }

    Queue<String> traces() {
        return traces;
    }

    /** Simulates a crash of the process. */
    void kill() {
        server.shutdownNow();
        try {
            server.awaitTermination();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
        rpc.close();
    }

    private final class Service implements RoutedService {
        @Override
        public String name() {
            return SERVICE;
        }

        @Override
        public RoutedCall decode(Forwarded call) {
            traces.add(String.valueOf(call.traceparent()));
            String text = new String(call.body(), StandardCharsets.UTF_8).strip();
            String said = text.replace("\0", "");
            return new RoutedCall() {
                @Override
                public String method() {
                    return call.method();
                }

                @Override
                public String database() {
                    return PeerCall.DATABASE;
                }

                @Override
                public Locality locality() {
                    return Locality.OWNER;
                }

                @Override
                public byte[] body() {
                    return call.body();
                }

                @Override
                public petrichor.base.Cancellation cancellation() {
                    return call.cancellation();
                }

                @Override
                public CompletableFuture<byte[]> execute() {
                    return executed(said, call);
                }
            };
        }
    }

    private CompletableFuture<byte[]> executed(String said, RoutedService.Forwarded call) {
        return switch (said) {
            case "silence" -> {
                call.cancellation().onCancel(cancelled::countDown);
                silent.countDown();
                yield new CompletableFuture<>();
            }
            case "wrong" -> CompletableFuture.failedFuture(new NotOwner("of db"));
            case "fail" ->
                    CompletableFuture.failedFuture(
                            new PetrichorException(ErrorCode.FAILED_PRECONDITION, "as you like"));
            case "unsupported" ->
                    CompletableFuture.failedFuture(
                            new PetrichorException(ErrorCode.UNIMPLEMENTED, "not yet"));
            case String other ->
                    CompletableFuture.completedFuture(
                            (other + " done").getBytes(StandardCharsets.UTF_8));
        };
    }

    private static final class Owns implements OwnerDirectory {
        @Override
        public Optional<Owner> known(String database) {
            return Optional.of(new Owner.Here(1));
        }

        @Override
        public Owner find(String database, boolean take) {
            return new Owner.Here(1);
        }

        @Override
        public void invalidate(String database, Owner.There owner) {}
    }
}
