package petrichor.kv.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.StoreUrl;

/** The driver retries a read whose connection breaks, and the retry is counted. */
@Timeout(300)
class RetriedReadsTest {
    @Test
    void aReadWhoseConnectionBreaksIsRetriedAndCounted() throws IOException {
        MongoServer server = MongoServer.shared();
        StoreUrl direct = server.newStore();
        try (Cutter cutter = new Cutter(direct.nodes().getFirst());
                MongoStore store = MongoStore.open(cutter.through(direct))) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            assertThat(value(store, "a")).isEqualTo("1");
            long before = store.retries();
            cutter.cuts.set(1);
            assertThat(value(store, "a")).isEqualTo("1");
            assertThat(cutter.cuts).as("cuts still to come").hasValue(0);
            assertThat(store.retries()).isEqualTo(before + 1);
        }
    }

    /** A proxy that closes connections on which a read arrives. */
    private static final class Cutter implements AutoCloseable {
        private static final int BUFFER_BYTES = 64 << 10;

        private final ServerSocket listening =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final StoreUrl.Node server;
        private final AtomicInteger cuts = new AtomicInteger();

        Cutter(StoreUrl.Node server) throws IOException {
            this.server = server;
            Thread.startVirtualThread(this::accept);
        }

        StoreUrl through(StoreUrl url) {
            return new StoreUrl(
                    url.scheme(),
                    url.user(),
                    url.password(),
                    List.of(new StoreUrl.Node("127.0.0.1", Optional.of(listening.getLocalPort()))),
                    url.name(),
                    url.options());
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = listening.accept();
                    Socket behind = new Socket(server.host(), server.portOr(MongoAddress.PORT));
                    Thread.startVirtualThread(() -> pass(client, behind, true));
                    Thread.startVirtualThread(() -> pass(behind, client, false));
                }
            } catch (IOException closed) {
                // the test has ended
            }
        }

        private void pass(Socket from, Socket to, boolean requests) {
            byte[] buffer = new byte[BUFFER_BYTES];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    if (requests && isRead(buffer, read) && cut()) {
                        return;
                    }
                    out.write(buffer, 0, read);
                }
            } catch (IOException cut) {
                // the other direction has ended
            }
        }

        private static boolean isRead(byte[] buffer, int length) {
            return new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains("find\0");
        }

        private boolean cut() {
            return cuts.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }
}
