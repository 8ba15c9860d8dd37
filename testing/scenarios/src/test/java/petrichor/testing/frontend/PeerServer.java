package petrichor.testing.frontend;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.cluster.ClusterSettings;
import petrichor.cluster.SharedStore;
import petrichor.coordination.Coordination;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.coordination.testkit.DisconnectedLedger;
import petrichor.kv.KeyValueStore;
import petrichor.rpc.PeerAuthentication;
import petrichor.transactions.databases.RowDatabases;

/** The part of a server of a cluster below its front ends. */
final class PeerServer implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final PeerAuthentication SECRET = PeerAuthentication.token("only servers know");

    private final DisconnectedLedger ledger;
    private final ClusterNode node;
    private @Nullable Server peers;

    PeerServer(KeyValueStore store, EmbeddedLedger ledger) {
        this.ledger = new DisconnectedLedger(ledger);
        RowDatabases rows = new RowDatabases(store);
        this.node =
                new ClusterNode(
                        new Coordination(this.ledger, TimeSource.SYSTEM),
                        new ClusterSettings(LEASE, false, SECRET, Duration.ofSeconds(60)),
                        new SharedStore(rows.storedRows(), rows, () -> true),
                        TimeSource.SYSTEM);
    }

    ClusterNode node() {
        return node;
    }

    /** Joins the cluster. The front ends have registered their services. */
    void start() {
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .directExecutor();
        for (ServerServiceDefinition service : node.rpc().services()) {
            builder.addService(service);
        }
        Server started;
        try {
            started = builder.build().start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        peers = started;
        node.join("127.0.0.1:" + started.getPort());
    }

    /** Simulates kill -9: its lease expires, and its connections close. */
    void die() {
        ledger.mute();
        stop();
    }

    private void stop() {
        if (peers != null) {
            peers.shutdownNow();
        }
    }

    @Override
    public void close() {
        ledger.unmute();
        node.rpc().drain();
        stop();
        node.close();
    }
}
