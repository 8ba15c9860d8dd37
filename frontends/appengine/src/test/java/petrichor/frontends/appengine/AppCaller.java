package petrichor.frontends.appengine;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.access.Caller;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.rpc.Rpc;

/** Calls bundled services as an SDK does, without a network. */
public final class AppCaller {
    public static final String DEFAULT_PROJECT = "default-app";

    final Tickets tickets =
            new Tickets(TimeSource.SYSTEM, RandomGenerator.getDefault(), Optional.empty());
    final MemoryBudget memory = MemoryBudget.of("process", 1 << 30);
    final PrometheusRegistry registry = new PrometheusRegistry();
    private final Page page;

    /** The caller of requests; without one, only tickets identify apps. */
    private final Optional<Caller> caller;

    public AppCaller(BundledService... services) {
        this(Optional.of(Caller.ANYONE), services);
    }

    AppCaller(Optional<Caller> caller, BundledService... services) {
        this.caller = caller;
        this.page =
                new AppEngineFrontEnd(
                                List.of(services),
                                tickets,
                                DEFAULT_PROJECT,
                                Rpc.STANDALONE,
                                memory,
                                registry)
                        .pages()
                        .getFirst();
    }

    /** The response message of a successful call of the app. */
    public ByteString call(String project, String api, String method, MessageLite request) {
        RemoteApiPb.Response response =
                response(project + "/ticket", api, method, request.toByteString());
        if (!response.hasResponse()) {
            throw new AssertionError(response.toString());
        }
        return response.getResponse();
    }

    /** The outcome of a call. */
    public RemoteApiPb.Response response(
            String ticket, String api, String method, ByteString request) {
        byte[] body =
                RemoteApiPb.Request.newBuilder()
                        .setServiceName(api)
                        .setMethod(method)
                        .setRequest(request)
                        .setRequestId(ticket)
                        .build()
                        .toByteArray();
        Page.Answer answer = post(body, Map.of(), Cancellation.never());
        if (answer.status() != 200) {
            throw new AssertionError("HTTP status " + answer.status());
        }
        return response(answer);
    }

    static RemoteApiPb.Response response(Page.Answer answer) {
        try {
            return RemoteApiPb.Response.parseFrom(answer.body());
        } catch (InvalidProtocolBufferException damaged) {
            throw new AssertionError(damaged);
        }
    }

    Page.Answer post(byte[] body, Map<String, String> headers, Cancellation client) {
        AccessAttempt attempt = new AccessAttempt(AuditLog.off(), "http", "POST /rpc_http", null);
        caller.ifPresent(attempt::admit);
        return page.answer()
                .apply(
                        new Page.Request(
                                "/rpc_http",
                                Map.of(),
                                Map.of(),
                                body,
                                "application/octet-stream",
                                "",
                                null,
                                new HashMap<>(headers),
                                attempt,
                                client,
                                new Page.Raw("POST", "/rpc_http", RequestBody.EMPTY)));
    }
}
