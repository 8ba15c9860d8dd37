package petrichor.frontends.datastore;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Routing;
import petrichor.rpc.Trace;

/**
 * Turns requests of the API into calls that are routed to the owner of their database. Thread-safe;
 * never blocks.
 */
final class DatastoreService implements RoutedService {
    private final Dispatcher dispatcher;
    private final RequestParser parser;
    private final RequestMetrics metrics;
    private final Routing routing;

    DatastoreService(
            Dispatcher dispatcher, RequestParser parser, RequestMetrics metrics, Routing routing) {
        this.dispatcher = dispatcher;
        this.parser = parser;
        this.metrics = metrics;
        this.routing = routing;
    }

    @Override
    public String name() {
        return DatastoreMethod.SERVICE;
    }

    /** INVALID_ARGUMENT if the bytes are not a valid request. */
    RequestHead head(DatastoreMethod method, byte[] body) {
        return parser.head(method, body);
    }

    /** Calls with an encoded request of an authorized client. */
    CompletableFuture<byte[]> call(
            DatastoreMethod method,
            RequestHead head,
            byte[] body,
            Cancellation cancellation,
            @Nullable Trace trace) {
        return routing.call(
                new DatastoreCall(
                        method,
                        head,
                        () -> body,
                        () -> execute(method, head, body, cancellation),
                        cancellation,
                        trace,
                        null));
    }

    /** Calls with a request of an authorized client that had to be parsed, such as JSON. */
    CompletableFuture<byte[]> call(
            DatastoreMethod method,
            RequestHead head,
            Message message,
            Cancellation cancellation,
            @Nullable Trace trace) {
        return routing.call(
                new DatastoreCall(
                        method,
                        head,
                        message::toByteArray,
                        () -> dispatcher.execute(method, message, cancellation),
                        cancellation,
                        trace,
                        null));
    }

    @Override
    public DatastoreCall decode(Forwarded call) {
        DatastoreMethod method =
                DatastoreMethod.ofFullName(call.method())
                        .orElseThrow(() -> RoutedService.unknown(call.method()));
        RequestMetrics.Running running =
                metrics.begin(method, RequestMetrics.Wire.GRPC, call.traceparent(), null);
        running.received(call.body().length);
        RequestHead head;
        try {
            head = parser.head(method, call.body());
            running.about(head);
        } catch (RuntimeException refused) {
            running.failed(refused);
            throw refused;
        }
        return new DatastoreCall(
                method,
                head,
                call::body,
                () -> execute(method, head, call.body(), call.cancellation()),
                call.cancellation(),
                running.trace(),
                running);
    }

    private CompletableFuture<byte[]> execute(
            DatastoreMethod method, RequestHead head, byte[] body, Cancellation cancellation) {
        return parser.parsed(
                method,
                body,
                message -> {
                    head.requireSame(RequestHead.of(method, message));
                    return dispatcher.execute(method, message, cancellation);
                });
    }
}
