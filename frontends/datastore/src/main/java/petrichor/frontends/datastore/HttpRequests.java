package petrichor.frontends.datastore;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** What HTTP/1.1 requests mean: API methods by path, and pages beside them. Safe for any thread. */
final class HttpRequests {
    private final Dispatcher dispatcher;
    private final Gate gate;
    private final RequestMetrics metrics;
    private final List<Page> pages;

    /**
     * @param pages grows until the first request comes
     */
    HttpRequests(Dispatcher dispatcher, Gate gate, RequestMetrics metrics, List<Page> pages) {
        this.dispatcher = dispatcher;
        this.gate = gate;
        this.metrics = metrics;
        this.pages = pages;
    }

    /**
     * A request being answered.
     *
     * @param format in which to complain
     * @param reply fails only by a defect of ours
     */
    record Call(Trace trace, RestRequest.Format format, CompletableFuture<HttpReply> reply) {
        HttpReply unexpected(Throwable thrown) {
            return complain(Failure.of(thrown, trace), format, trace);
        }
    }

    Call malformed(Throwable cause, int headerBytesMax) {
        Trace trace = Trace.of(null);
        Failure failure =
                switch (cause) {
                    case TooLongHttpHeaderException _ ->
                            new Failure(
                                    ErrorCode.INVALID_ARGUMENT,
                                    "the headers are larger than "
                                            + headerBytesMax
                                            + " bytes; send less, or raise"
                                            + " limits.header-bytes-max",
                                    HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE.code());
                    case TooLongHttpLineException _ ->
                            new Failure(
                                    ErrorCode.INVALID_ARGUMENT,
                                    "the request's first line is longer than "
                                            + HttpConnection.LINE_BYTES_MAX
                                            + " bytes; send what is long in the body",
                                    HttpResponseStatus.REQUEST_URI_TOO_LONG.code());
                    case Throwable _ ->
                            new Failure(
                                    ErrorCode.INVALID_ARGUMENT,
                                    "this is no HTTP/1.1 request: " + cause.getMessage());
                };
        return new Call(
                trace,
                RestRequest.Format.JSON,
                CompletableFuture.completedFuture(
                        complain(failure, RestRequest.Format.JSON, trace)));
    }

    /** Takes what it needs from the request before it returns; the body is given away. */
    Call begin(FullHttpRequest request, byte[] body) {
        Trace trace = Trace.of(request.headers().get(Trace.HEADER));
        String contentType = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
        RestRequest.Format complaint = RestRequest.complaint(contentType);
        CompletableFuture<HttpReply> reply;
        try {
            QueryStringDecoder uri = new QueryStringDecoder(request.uri());
            String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
            if (RestRequest.isApi(uri.path())) {
                gate.check(authorization);
                if (!request.method().name().equals("POST")) {
                    throw PetrichorException.invalid(
                            "the API takes POST, not " + request.method().name());
                }
                RestRequest rest =
                        RestRequest.of(
                                uri, contentType, request.headers().get(HttpHeaderNames.ACCEPT));
                reply = call(rest, body, trace);
            } else {
                reply = page(request, uri, body, authorization, trace);
            }
        } catch (IllegalArgumentException badUri) {
            Failure failure =
                    new Failure(
                            ErrorCode.INVALID_ARGUMENT,
                            "the path cannot be decoded: " + badUri.getMessage());
            reply = CompletableFuture.completedFuture(complain(failure, complaint, trace));
        } catch (PetrichorException refused) {
            reply =
                    CompletableFuture.completedFuture(
                            complain(Failure.of(refused, trace), complaint, trace));
        }
        return new Call(trace, complaint, reply);
    }

    private CompletableFuture<HttpReply> call(RestRequest rest, byte[] body, Trace trace) {
        RequestMetrics.Running running =
                metrics.begin(rest.method(), RequestMetrics.Wire.REST, () -> trace);
        running.received(body.length);
        return dispatcher
                .prepare(() -> rest.message(body))
                .thenCompose(
                        message ->
                                dispatcher.dispatch(
                                        rest.method(), message, message::toByteArray, false))
                .thenApply(rest::answer)
                .handle(
                        (response, thrown) -> {
                            if (thrown != null) {
                                Failure failure = Failure.of(thrown, trace);
                                running.failed(failure.code());
                                return complain(failure, rest.out(), trace);
                            }
                            running.succeeded(response.length);
                            return new HttpReply(
                                    200, rest.out().mediaType(), response, returned(trace), null);
                        });
    }

    private CompletableFuture<HttpReply> page(
            FullHttpRequest request,
            QueryStringDecoder uri,
            byte[] body,
            @Nullable String authorization,
            Trace trace) {
        String method = request.method().name();
        boolean known = false;
        for (Page page : pages) {
            if (page.isAt(uri.path())) {
                known = true;
                if (page.method().equals(method)
                        || (method.equals("HEAD") && page.method().equals("GET"))) {
                    if (page.guarded()) {
                        gate.check(authorization);
                    }
                    Map<String, String> parameters = new HashMap<>();
                    uri.parameters()
                            .forEach((key, values) -> parameters.put(key, values.getFirst()));
                    String contentType = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
                    Page.Request asked =
                            new Page.Request(
                                    uri.path(),
                                    parameters,
                                    body,
                                    contentType == null ? "" : contentType,
                                    request.headers().get(HttpHeaderNames.ORIGIN));
                    return dispatcher
                            .prepare(() -> page.answer().apply(asked))
                            .thenApply(answer -> reply(answer, trace));
                }
            }
        }
        Page.Answer answer =
                known
                        ? Page.Answer.text(405, uri.path() + " does not take " + method + "\n")
                        : Page.Answer.text(
                                404,
                                "nothing is here; the API is under /v1/projects/, and there are"
                                        + " /livez, /readyz, /metrics and /version\n");
        return CompletableFuture.completedFuture(reply(answer, trace));
    }

    private static HttpReply reply(Page.Answer answer, Trace trace) {
        return new HttpReply(
                answer.status(),
                answer.type(),
                answer.body().getBytes(StandardCharsets.UTF_8),
                returned(trace),
                answer.rest());
    }

    private static HttpReply complain(Failure failure, RestRequest.Format format, Trace trace) {
        return new HttpReply(
                failure.httpStatus(),
                format.mediaType(),
                RestRequest.complain(failure, format),
                returned(trace),
                null);
    }

    private static @Nullable String returned(Trace trace) {
        return trace.received() ? trace.traceparent() : null;
    }
}
