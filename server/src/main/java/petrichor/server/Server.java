package petrichor.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.frontends.datastore.DatastoreFrontEnd;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.frontends.datastore.Page;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;

/**
 * A running Petrichor. {@link #start} returns when requests are answered; {@link #close} lets those
 * that run end, then closes the store. Safe for any thread.
 */
public final class Server implements AutoCloseable {
    private final ServerConfig config;
    private final KeyValueStore store;
    private final DatastoreFrontEnd frontEnd;
    private final CountDownLatch shutdownAsked = new CountDownLatch(1);

    private Server(ServerConfig config) {
        this.config = config;
        this.store = MemoryStore.open();
        Datastore datastore = new Datastore(new DatabasesToCome(), TimeSource.SYSTEM);
        this.frontEnd = DatastoreFrontEnd.start(datastore, settings(config), pages());
    }

    /** Fails with a text that says what to change when the configuration cannot be served. */
    public static Server start(ServerConfig config) {
        return new Server(config);
    }

    /** Where it listens, with the port that was taken if the configured one was 0. */
    public int port() {
        return frontEnd.port();
    }

    public ServerConfig config() {
        return config;
    }

    /** Returns when somebody asked for the end with {@code POST /shutdown}. */
    public void awaitShutdown() throws InterruptedException {
        shutdownAsked.await();
    }

    private List<Page> pages() {
        List<Page> pages = new ArrayList<>();
        pages.add(new Page("GET", "/", false, _ -> Page.Answer.text(200, "Ok\n")));
        pages.add(new Page("GET", "/livez", false, _ -> Page.Answer.text(200, "ok\n")));
        return pages;
    }

    private static FrontEndSettings settings(ServerConfig config) {
        return new FrontEndSettings(
                address(config.server()),
                null,
                config.auth().token().orElse(null),
                FrontEndSettings.Limits.DEFAULT,
                FrontEndSettings.Execution.forThisMachine());
    }

    private static InetSocketAddress address(ServerConfig.Listen listen) {
        try {
            InetAddress host = InetAddress.getByName(listen.host());
            if (!host.isLoopbackAddress()) {
                throw new PetrichorException(
                        ErrorCode.FAILED_PRECONDITION,
                        "listening beyond this machine needs authentication");
            }
            return new InetSocketAddress(host, listen.port());
        } catch (UnknownHostException unknown) {
            throw new PetrichorException(
                    ErrorCode.INVALID_ARGUMENT,
                    "server.host is " + listen.host() + ", which is no address of this machine",
                    Map.of(),
                    unknown);
        }
    }

    @Override
    public void close() {
        frontEnd.close(config.server().drain());
        store.close();
        shutdownAsked.countDown();
    }
}
