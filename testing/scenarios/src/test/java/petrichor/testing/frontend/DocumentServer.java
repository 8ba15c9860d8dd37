package petrichor.testing.frontend;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.entities.Datastore;
import petrichor.kv.KeyValueStore;

/** A server of a cluster whose only front end is {@link DocumentFrontEnd}. */
final class DocumentServer implements AutoCloseable {
    private final PeerServer peer;
    private final DocumentFrontEnd frontEnd;
    private final HttpClient client = HttpClient.newHttpClient();

    /** Joins the cluster. */
    DocumentServer(KeyValueStore store, EmbeddedLedger ledger) {
        this.peer = new PeerServer(store, ledger);
        this.frontEnd =
                new DocumentFrontEnd(
                        new Datastore(node().databases(), TimeSource.SYSTEM), node().rpc());
        peer.start();
    }

    ClusterNode node() {
        return peer.node();
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
        peer.die();
    }

    @Override
    public void close() {
        frontEnd.close();
        peer.close();
        client.close();
    }
}
