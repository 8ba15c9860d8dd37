package petrichor.frontends.datastore;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/** Maps HTTP/1.1 requests to API methods and pages. Thread-safe. */
final class HttpRequests {
    /** Bounds requests that keep sending or reading; others end when nothing moves any more. */
    private static final Duration TRANSFER_WITHIN = Duration.ofHours(12);

    private final Dispatcher dispatcher;
    private final DatastoreService service;
    private final RequestParser parser;
    private final RequestBudget budget;
    private final Authenticator gate;
    private final BrowserGuard guard;
    private final Duration executionWithin;
    private final RequestMetrics metrics;
    private final List<Page> pages;

    /**
     * @param executionWithin longest time for a call of the API
     * @param pages additional pages; may be extended until the first request arrives
     */
    HttpRequests(
            Dispatcher dispatcher,
            DatastoreService service,
            RequestBudget budget,
            Authenticator gate,
            BrowserGuard guard,
            Duration executionWithin,
            RequestMetrics metrics,
            List<Page> pages) {
        this.dispatcher = dispatcher;
        this.service = service;
        this.parser = new RequestParser(budget);
        this.budget = budget;
        this.gate = gate;
        this.guard = guard;
        this.executionWithin = executionWithin;
        this.metrics = metrics;
        this.pages = pages;
    }

    /**
     * A request being answered.
     *
     * @param format of error responses
     * @param reply fails only because of a bug
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
                                    "this is not an HTTP/1.1 request: " + cause.getMessage());
                };
        return new Call(
                trace,
                RestRequest.Format.JSON,
                CompletableFuture.completedFuture(
                        complain(failure, RestRequest.Format.JSON, trace)));
    }

    /**
     * Decides by the headers alone whether the request is read. Returns the refusal, or null.
     * Unauthenticated clients and pages of other sites fill no buffers.
     */
    @Nullable HttpReply refusal(HttpRequest head, SocketAddress from) {
        Failure unclear = HttpStrictness.problem(head);
        if (unclear != null) {
            return HttpReply.complaint(unclear);
        }
        HttpHeaders headers = head.headers();
        AccessAttempt attempt = gate.attempt(from, head.method() + " " + path(head.uri()));
        try {
            boolean reads =
                    head.method().equals(HttpMethod.GET) || head.method().equals(HttpMethod.HEAD);
            guard.check(
                    new BrowserGuard.Sender(
                            headers.get(HttpHeaderNames.HOST),
                            headers.get(HttpHeaderNames.ORIGIN),
                            headers.get("sec-fetch-site"),
                            headers.get("sec-fetch-mode")),
                    reads);
            authorize(head, attempt);
            return null;
        } catch (PetrichorException refused) {
            metrics.refused(refused);
            attempt.end(refused.code().name());
            HttpReply reply =
                    complain(
                            Failure.of(refused, Trace.of(null)),
                            RestRequest.complaint(headers.get(HttpHeaderNames.CONTENT_TYPE)),
                            Trace.of(headers.get(Trace.HEADER)));
            return refused.code() == ErrorCode.UNAUTHENTICATED && takesPassword(head)
                    ? reply.askingForPassword()
                    : reply;
        }
    }

    private boolean takesPassword(HttpRequest head) {
        String path = path(head.uri());
        return pages.stream()
                .anyMatch(
                        page ->
                                page.access() == Page.Access.PROJECT_DEPLOY_PASSWORD
                                        && page.takes(head.method().name())
                                        && page.isAt(path));
    }

    /**
     * The path without the query, which may contain data that must not be logged; empty if invalid.
     */
    private static String path(String uri) {
        try {
            return new QueryStringDecoder(uri).path();
        } catch (IllegalArgumentException undecodable) {
            return "";
        }
    }

    /** Refuses requests that the headers show to be forbidden, or whose path does not exist. */
    private void authorize(HttpRequest head, AccessAttempt attempt) {
        String path = path(head.uri());
        if (RestRequest.isApi(path)) {
            attempt.admit(caller(head, attempt));
            RestRequest.target(path)
                    .ifPresent(to -> attempt.requireSomeOf(to.method().role(), to.project()));
            return;
        }
        for (Page page : pages) {
            if (page.isAt(path)) {
                if (page.takes(head.method().name())) {
                    authorize(page, head, attempt);
                    return; // it will answer
                } else if (page.access() != Page.Access.OPEN) {
                    admit(page, head, attempt);
                }
            }
        }
    }

    private void authorize(Page page, HttpRequest head, AccessAttempt attempt) {
        if (page.access() != Page.Access.OPEN) {
            admit(page, head, attempt);
            page.authorize(attempt, path(head.uri()));
        }
    }

    /** Sets the caller; one without a token stays unknown if the page permits that. */
    private void admit(Page page, HttpRequest head, AccessAttempt attempt) {
        boolean known = !gate.required() || head.headers().contains(HttpHeaderNames.AUTHORIZATION);
        if (known || page.access() != Page.Access.OPTIONAL_TOKEN) {
            attempt.admit(
                    page.access() == Page.Access.PROJECT_DEPLOY_PASSWORD
                            ? gate.caller(
                                    attempt, AccessTokens.passwordAsToken(authorization(head)))
                            : caller(head, attempt));
        }
    }

    private Caller caller(HttpRequest head, AccessAttempt attempt) {
        return gate.caller(attempt, authorization(head));
    }

    private static @Nullable String authorization(HttpRequest head) {
        return head.headers().get(HttpHeaderNames.AUTHORIZATION);
    }

    /**
     * Executes an admitted request. Copies what it needs before it returns; the caller may release
     * the body afterwards.
     *
     * @param body complete; empty if it is streamed
     * @param stream the body of a request for a page that streams
     * @param from address of the client
     * @param cancellation cancelled when the client disconnects
     */
    Call begin(
            HttpRequest request,
            byte[] body,
            RequestBody stream,
            SocketAddress from,
            Cancellation cancellation) {
        String traceparent = request.headers().get(Trace.HEADER);
        Trace trace = Trace.of(traceparent);
        String contentType = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
        RestRequest.Format complaint = RestRequest.complaint(contentType);
        CompletableFuture<HttpReply> reply;
        try {
            QueryStringDecoder uri = new QueryStringDecoder(request.uri());
            if (RestRequest.isApi(uri.path())) {
                if (!request.method().name().equals("POST")) {
                    throw PetrichorException.invalid(
                            "the API accepts POST, not {method}",
                            "method",
                            request.method().name());
                }
                RestRequest rest =
                        RestRequest.of(
                                uri, contentType, request.headers().get(HttpHeaderNames.ACCEPT));
                AccessAttempt attempt = gate.attempt(from, rest.method().rpcName());
                attempt.admit(caller(request, attempt));
                RequestMetrics.Running running =
                        metrics.begin(
                                rest.method(), RequestMetrics.Wire.REST, traceparent, attempt);
                Trace spanned = running.trace();
                trace = spanned == null ? trace : spanned;
                reply = call(rest, body, trace, running, attempt, cancellation);
            } else {
                reply = page(request, uri, new Content(body, stream), trace, from, cancellation);
            }
        } catch (IllegalArgumentException badUri) {
            Failure failure =
                    new Failure(
                            ErrorCode.INVALID_ARGUMENT,
                            "the path cannot be decoded: " + badUri.getMessage());
            reply = CompletableFuture.completedFuture(complain(failure, complaint, trace));
        } catch (PetrichorException refused) {
            metrics.refused(refused);
            reply =
                    CompletableFuture.completedFuture(
                            complain(Failure.of(refused, trace), complaint, trace));
        }
        return new Call(trace, complaint, reply);
    }

    /** Whether the body of the request goes to a page while it arrives. */
    boolean streams(HttpRequest head) {
        String path = path(head.uri());
        if (RestRequest.isApi(path)) {
            return false;
        }
        String method = head.method().name();
        return pages.stream()
                .filter(page -> page.takes(method) && page.isAt(path))
                .findFirst()
                .map(page -> page.intake() == Page.Intake.STREAMED)
                .orElse(false);
    }

    /** Deadline for requests for pages that stream. */
    static Cancellation transferCancellation() {
        return Cancellation.after(TRANSFER_WITHIN.toNanos());
    }

    /** Deadline for requests whose client sets none. */
    Cancellation cancellation() {
        return Cancellation.after(executionWithin.toNanos());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the inner future is composed
    private CompletableFuture<HttpReply> call(
            RestRequest rest,
            byte[] body,
            Trace trace,
            RequestMetrics.Running running,
            AccessAttempt attempt,
            Cancellation cancellation) {
        running.received(body.length);
        return dispatcher
                .prepare(() -> carriedOut(rest, body, trace, attempt, cancellation))
                .thenCompose(answer -> answer)
                .thenApply(rest::answer)
                .handle(
                        (response, thrown) -> {
                            if (thrown != null) {
                                running.failed(thrown);
                                return complain(Failure.of(thrown, trace), rest.out(), trace);
                            }
                            return answered(rest, response, running, trace);
                        });
    }

    private HttpReply answered(
            RestRequest rest, byte[] response, RequestMetrics.Running running, Trace trace) {
        MemoryBudget.Reservation held = null;
        if (rest.method().onlyReads()) {
            try {
                held = budget.response(response.length);
            } catch (PetrichorException exhausted) {
                running.failed(exhausted);
                return complain(Failure.of(exhausted, trace), rest.out(), trace);
            }
        }
        running.succeeded(response.length);
        return new HttpReply(
                200, rest.out().mediaType(), response, Map.of(), returned(trace), null, held);
    }

    private CompletableFuture<byte[]> carriedOut(
            RestRequest rest,
            byte[] body,
            Trace trace,
            AccessAttempt attempt,
            Cancellation cancellation) {
        cancellation.check();
        return parser.parsed(
                rest,
                body,
                message -> {
                    RequestHead head = RequestHead.of(rest.method(), message);
                    head.authorize(attempt);
                    return service.call(rest.method(), head, message, cancellation, trace);
                });
    }

    /** The body of a request for a page: one of the two. */
    private record Content(byte[] body, RequestBody stream) {}

    private CompletableFuture<HttpReply> page(
            HttpRequest request,
            QueryStringDecoder uri,
            Content content,
            Trace trace,
            SocketAddress from,
            Cancellation cancellation) {
        String method = request.method().name();
        boolean known = false;
        for (Page page : pages) {
            Optional<Map<String, String>> inPath = page.path().match(uri.path());
            if (inPath.isPresent()) {
                known = true;
                if (page.takes(method)) {
                    AccessAttempt attempt = gate.attempt(from, method + " " + uri.path());
                    authorize(page, request, attempt);
                    Map<String, String> parameters = new HashMap<>();
                    uri.parameters()
                            .forEach((key, values) -> parameters.put(key, values.getFirst()));
                    String contentType = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
                    Page.Request asked =
                            new Page.Request(
                                    uri.path(),
                                    inPath.get(),
                                    parameters,
                                    content.body(),
                                    contentType == null ? "" : contentType,
                                    request.headers().get(HttpHeaderNames.ACCEPT, ""),
                                    request.headers().get(HttpHeaderNames.ORIGIN),
                                    headers(request),
                                    attempt,
                                    cancellation,
                                    new Page.Raw(method, request.uri(), content.stream()));
                    return dispatcher
                            .page(page.lane(), () -> page.answer().apply(asked))
                            .whenComplete((answer, thrown) -> end(page, attempt, answer, thrown))
                            .thenApply(answer -> reply(answer, trace));
                }
            }
        }
        Page.Answer answer =
                known
                        ? Page.Answer.text(405, uri.path() + " does not support " + method + "\n")
                        : Page.Answer.text(
                                404,
                                "not found; the API is under /v1/projects/; other paths are /livez,"
                                        + " /readyz, /metrics and /version\n");
        return CompletableFuture.completedFuture(reply(answer, trace));
    }

    private static Map<String, String> headers(HttpRequest request) {
        Map<String, String> headers = new HashMap<>();
        for (Map.Entry<String, String> field : request.headers()) {
            headers.putIfAbsent(field.getKey().toLowerCase(Locale.ROOT), field.getValue());
        }
        return headers;
    }

    private static void end(
            Page page,
            AccessAttempt attempt,
            Page.@Nullable Answer answer,
            @Nullable Throwable thrown) {
        if (page.access() == Page.Access.OPEN) {
            return;
        }
        if (answer == null) {
            Throwable cause =
                    thrown == null ? new IllegalStateException() : CallFailure.cause(thrown);
            attempt.end(
                    cause instanceof PetrichorException known
                            ? known.code().name()
                            : ErrorCode.INTERNAL.name());
        } else if (answer.status() == HttpResponseStatus.FORBIDDEN.code()) {
            attempt.end(ErrorCode.PERMISSION_DENIED.name());
        } else {
            attempt.end(
                    answer.status() < HttpResponseStatus.BAD_REQUEST.code()
                            ? "OK"
                            : "HTTP_" + answer.status());
        }
    }

    private static HttpReply reply(Page.Answer answer, Trace trace) {
        return new HttpReply(
                answer.status(),
                answer.type(),
                answer.body(),
                answer.headers(),
                returned(trace),
                answer.rest(),
                answer.held());
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
