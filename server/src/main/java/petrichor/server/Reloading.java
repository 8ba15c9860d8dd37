package petrichor.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.datastore.DatastoreFrontEnd;
import petrichor.rpc.PeerCertificates;
import petrichor.rpc.Rpc;
import petrichor.server.config.ServerConfig;
import petrichor.server.tokens.ConfiguredTokens;

/**
 * Reloads tokens and certificates of a running server when their files change. One thread checks
 * the files at regular intervals; running requests and existing connections are not affected.
 */
final class Reloading implements AutoCloseable {

    private static final Duration END_WITHIN = Duration.ofSeconds(5);

    private final ServerConfig config;
    private final Duration every;
    private final List<WatchedFiles> watched = new ArrayList<>();
    private final Thread thread;
    private volatile @Nullable DatastoreFrontEnd frontEnd;
    private volatile AccessTokens.Issued issued = _ -> null;
    private volatile Rpc rpc = Rpc.STANDALONE;
    private volatile boolean closed;

    /** Records the content of the files; must be created before they are first read. */
    Reloading(ServerConfig config) {
        this.config = config;
        this.every = config.auth().reloadEvery();
        List<Path> tokens =
                Stream.of(config.auth().tokenFile(), config.auth().tokensFile())
                        .flatMap(Optional::stream)
                        .toList();
        if (!tokens.isEmpty()) {
            watched.add(new WatchedFiles("tokens", tokens, this::replaceTokens));
        }
        config.tls()
                .ifPresent(
                        tls ->
                                watched.add(
                                        new WatchedFiles(
                                                "certificate",
                                                List.of(tls.certificateChain(), tls.privateKey()),
                                                this::renewCertificate)));
        config.cluster()
                .certificates()
                .ifPresent(
                        files ->
                                watched.add(
                                        new WatchedFiles(
                                                "certificate for other servers",
                                                List.of(
                                                        files.certificate(),
                                                        files.key(),
                                                        files.authorities()),
                                                this::renewPeerCertificates)));
        this.thread = Thread.ofPlatform().daemon().name("reload").unstarted(this::watch);
    }

    /**
     * @param others tokens that are not in files
     */
    void start(DatastoreFrontEnd served, Rpc peers, AccessTokens.Issued others) {
        issued = others;
        frontEnd = served;
        rpc = peers;
        if (!watched.isEmpty()) {
            thread.start();
        }
    }

    private void replaceTokens() {
        if (frontEnd != null) {
            frontEnd.accept(ConfiguredTokens.read(config.auth()).with(issued));
        }
    }

    private void renewCertificate() {
        if (frontEnd != null) {
            frontEnd.renewCertificate();
        }
    }

    private void renewPeerCertificates() {
        rpc.authentication().certificates().ifPresent(PeerCertificates::renew);
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(this, every.toNanos());
            if (!closed) {
                watched.forEach(WatchedFiles::poll);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (thread.isAlive()) {
                var _ = thread.join(END_WITHIN);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
