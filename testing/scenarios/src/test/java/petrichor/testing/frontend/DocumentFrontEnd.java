package petrichor.testing.frontend;

import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import petrichor.base.ErrorCode;
import petrichor.entities.Datastore;
import petrichor.rpc.CallFailure;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.Rpc;
import petrichor.rpc.Trace;

/**
 * A minimal front end: {@code PUT /DATABASE/NAME} stores the body, {@code GET /DATABASE/NAME}
 * returns it as JSON. Only translates between HTTP and calls.
 */
final class DocumentFrontEnd implements AutoCloseable {
    private final HttpServer http;
    private final DocumentService service;
    private final Rpc rpc;

    DocumentFrontEnd(Datastore datastore, Rpc rpc) {
        this.rpc = rpc;
        this.service = new DocumentService(datastore);
        rpc.register(service);
        try {
            this.http =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        http.createContext("/", this::handle);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.start();
    }

    int port() {
        return http.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", -1);
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        RoutedCall call =
                exchange.getRequestMethod().equals("PUT")
                        ? service.put(path[1], path[2], body)
                        : service.get(path[1], path[2]);
        int status;
        byte[] answer;
        try {
            answer = rpc.routing().call(call).join();
            status = 200;
        } catch (CompletionException failed) {
            CallFailure failure = CallFailure.of(failed, Trace.of(null));
            JsonObject error = new JsonObject();
            error.addProperty("error", failure.text());
            answer = error.toString().getBytes(StandardCharsets.UTF_8);
            status = failure.code() == ErrorCode.INVALID_ARGUMENT ? 400 : 503;
        }
        exchange.sendResponseHeaders(status, answer.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(answer);
        }
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
