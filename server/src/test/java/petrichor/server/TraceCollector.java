package petrichor.server;

import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;

/**
 * The receiving end of the OpenTelemetry protocol over HTTP, which keeps all spans. Thread-safe.
 */
final class TraceCollector implements AutoCloseable {
    /** A received span, with ids in hexadecimal digits. */
    record Received(String trace, String id, String parent, Span span) {
        String attribute(String name) {
            return span.getAttributesList().stream()
                    .filter(one -> one.getKey().equals(name))
                    .map(KeyValue::getValue)
                    .map(value -> value.getStringValue())
                    .findFirst()
                    .orElse("");
        }

        boolean isError() {
            return span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR;
        }
    }

    private final HttpServer server;
    private final List<Received> spans = new CopyOnWriteArrayList<>();

    private TraceCollector(HttpServer server) {
        this.server = server;
    }

    static TraceCollector start() {
        try {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            TraceCollector collector = new TraceCollector(HttpServer.create(address, 0));
            collector.server.createContext("/v1/traces", collector::receive);
            collector.server.start();
            return collector;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/v1/traces";
    }

    private void receive(HttpExchange exchange) throws IOException {
        boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        try (exchange;
                InputStream raw = exchange.getRequestBody();
                InputStream body = packed ? new GZIPInputStream(raw) : raw) {
            for (var resource : ExportTraceServiceRequest.parseFrom(body).getResourceSpansList()) {
                for (var scope : resource.getScopeSpansList()) {
                    scope.getSpansList().forEach(span -> spans.add(received(span)));
                }
            }
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private static Received received(Span span) {
        HexFormat hex = HexFormat.of();
        return new Received(
                hex.formatHex(span.getTraceId().toByteArray()),
                hex.formatHex(span.getSpanId().toByteArray()),
                hex.formatHex(span.getParentSpanId().toByteArray()),
                requireNonNull(span));
    }

    List<Received> spans() {
        return List.copyOf(spans);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
