package petrichor.testing.frontend;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.cluster.ClusterSettings;
import petrichor.cluster.SharedStore;
import petrichor.coordination.Coordination;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.coordination.testkit.DisconnectedLedger;
import petrichor.entities.Datastore;
import petrichor.kv.KeyValueStore;
import petrichor.rpc.PeerAuthentication;
import petrichor.transactions.databases.RowDatabases;

/** A server of a cluster whose only front end is {@link DocumentFrontEnd}. */
final class DocumentServer implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(3);

    private static final PeerAuthentication SECRET = PeerAuthentication.token("only servers know");

    private final DisconnectedLedger ledger;
    private final ClusterNode node;
    private final Server peers;
    private final DocumentFrontEnd frontEnd;
    private final HttpClient client = HttpClient.newHttpClient();

    /** Joins the cluster. */
    DocumentServer(KeyValueStore store, EmbeddedLedger ledger) {
        this.ledger = new DisconnectedLedger(ledger);
        RowDatabases rows = new RowDatabases(store);
        this.node =
                new ClusterNode(
                        new Coordination(this.ledger, TimeSource.SYSTEM),
                        new ClusterSettings(LEASE, false, SECRET, Duration.ofSeconds(60)),
                        new SharedStore(rows.storedRows(), rows, () -> true),
                        TimeSource.SYSTEM);
        this.frontEnd =
                new DocumentFrontEnd(
                        new Datastore(node.databases(), TimeSource.SYSTEM), node.rpc());
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .directExecutor();
        for (ServerServiceDefinition service : node.rpc().services()) {
            builder.addService(service);
        }
        try {
            this.peers = builder.build().start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        node.join("127.0.0.1:" + peers.getPort());
    }

    ClusterNode node() {
        return node;
    }

    HttpResponse<String> put(String database, String name, String text) throws Exception {
        return client.send(
                request(database, name).PUT(HttpRequest.BodyPublishers.ofString(text)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String database, String name) throws Exception {
        return client.send(
                request(database, name).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String database, String name) {
        return HttpRequest.newBuilder(
                URI.create("http://localhost:" + frontEnd.port() + "/" + database + "/" + name));
    }

    /** Simulates kill -9: its lease expires, and its connections close. */
    void die() {
        ledger.mute();
        peers.shutdownNow();
    }

    @Override
    public void close() {
        ledger.unmute();
        frontEnd.close();
        node.rpc().drain();
        peers.shutdownNow();
        node.close();
        client.close();
    }
}
