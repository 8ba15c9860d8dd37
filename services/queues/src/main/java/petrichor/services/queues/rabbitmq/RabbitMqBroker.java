package petrichor.services.queues.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import petrichor.base.PetrichorException;

/** The nodes of a RabbitMQ cluster, with the credentials of this server. Thread-safe. */
public final class RabbitMqBroker {
    /** A node that is silent for twice as long is taken for unreachable. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    private static final String TLS = "amqps";
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final List<ConnectionFactory> nodes;
    private final AtomicInteger next = new AtomicInteger();

    private RabbitMqBroker(List<ConnectionFactory> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    /**
     * Parses comma-separated URLs.
     *
     * @param urls such as {@code amqp://USER:PASSWORD@HOST:5672/VHOST}; {@code amqps} for TLS
     */
    public static RabbitMqBroker of(String urls) {
        return new RabbitMqBroker(
                Stream.of(urls.split(",", -1)).map(url -> node(url.strip())).toList());
    }

    private static ConnectionFactory node(String url) {
        ConnectionFactory node = new ConnectionFactory();
        try {
            URI uri = new URI(url);
            if (uri.getHost() == null || uri.getScheme() == null) {
                throw malformed();
            }
            node.setUri(uri);
            if (uri.getScheme().equalsIgnoreCase(TLS)) {
                // Instead of the client's default, which trusts every certificate.
                node.useSslProtocol(SSLContext.getDefault());
                node.enableHostnameVerification();
            }
        } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException refused) {
            throw malformed();
        }
        // The link connects again by itself, because notices without confirms are published again.
        node.setAutomaticRecoveryEnabled(false);
        node.setTopologyRecoveryEnabled(false);
        node.setRequestedHeartbeat(Math.toIntExact(HEARTBEAT.toSeconds()));
        node.setConnectionTimeout(Math.toIntExact(CONNECT_MAX.toMillis()));
        node.setHandshakeTimeout(Math.toIntExact(ANSWER_MAX.toMillis()));
        node.setChannelRpcTimeout(Math.toIntExact(ANSWER_MAX.toMillis()));
        node.setShutdownTimeout(Math.toIntExact(CONNECT_MAX.toMillis()));
        node.setExceptionHandler(new UnexpectedFailures());
        node.setThreadFactory(Thread.ofVirtual().name("rabbitmq-", 0).factory());
        return node;
    }

    /** Without the text of the cause, which may contain the password. */
    private static PetrichorException malformed() {
        return PetrichorException.invalid(
                "tasks.rabbitmq must be URLs such as amqp://USER:PASSWORD@HOST:5672/VHOST,"
                        + " separated by commas; escape special characters with %");
    }

    /**
     * Connects to the node after that of the previous call.
     *
     * @param consumers runs what RabbitMQ sends
     */
    Connection connect(ExecutorService consumers, String name)
            throws IOException, TimeoutException {
        ConnectionFactory node = nodes.get(Math.floorMod(next.getAndIncrement(), nodes.size()));
        return node.newConnection(consumers, name);
    }

    /** The end of a connection is expected, and reported by its link. */
    private static final class UnexpectedFailures extends ForgivingExceptionHandler {
        private static final System.Logger LOG = System.getLogger(RabbitMqBroker.class.getName());

        @Override
        protected void log(String message, Throwable failure) {
            LOG.log(failure instanceof IOException ? Level.DEBUG : Level.WARNING, message, failure);
        }
    }

    /** HOST:PORT of the nodes. */
    @Override
    public String toString() {
        return nodes.stream()
                .map(node -> node.getHost() + ":" + node.getPort())
                .collect(Collectors.joining(", "));
    }
}
