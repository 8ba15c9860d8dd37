package petrichor.frontends.tasks;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.access.Caller;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.kv.memory.MemoryStore;
import petrichor.rpc.Rpc;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.DispatchLimits;
import petrichor.services.queues.dispatch.Dispatchers;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.scheduling.SystemScheduler;

/** A client of the REST binding, without a network; every task succeeds. */
final class RestTasks implements AutoCloseable {
    static final String QUEUES = "/v2/projects/demo/locations/here/queues";
    private static final int DELIVERED_WITHIN_S = 60;

    private final RowDatabases databases = new RowDatabases(MemoryStore.open());
    private final SystemScheduler scheduler = new SystemScheduler();
    private final BlockingQueue<Delivery> delivered = new LinkedBlockingQueue<>();
    final Dispatchers dispatchers =
            new Dispatchers(
                    () -> databases,
                    QueueLimits.DEFAULT,
                    DispatchLimits.DEFAULT,
                    this::deliver,
                    MemoryBudget.unlimited(),
                    TimeSource.SYSTEM,
                    scheduler,
                    new Random(1));
    private final List<Page> pages = new TasksFrontEnd(dispatchers, Rpc.STANDALONE).pages();
    private final Caller caller;

    RestTasks() {
        this(Caller.ANYONE);
    }

    RestTasks(Caller caller) {
        this.caller = caller;
    }

    /** A response. */
    record Answer(int status, JsonObject body) {
        String text(String field) {
            return body.get(field).getAsString();
        }

        /** The canonical code of an error. */
        String code() {
            return body.getAsJsonObject("error").get("status").getAsString();
        }
    }

    private CompletableFuture<DeliveryResult> deliver(Delivery delivery) {
        delivered.add(delivery);
        return CompletableFuture.completedFuture(new DeliveryResult.Answered(200));
    }

    Delivery nextDelivery() throws InterruptedException {
        Delivery next = delivered.poll(DELIVERED_WITHIN_S, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no task was delivered");
        }
        return next;
    }

    /**
     * @param target path and query
     */
    Answer send(String method, String target, String body) {
        String path = target.replaceFirst("\\?.*", "");
        Map<String, String> parameters = new HashMap<>();
        if (path.length() < target.length()) {
            for (String parameter : target.substring(path.length() + 1).split("&", -1)) {
                int equals = parameter.indexOf('=');
                parameters.put(parameter.substring(0, equals), parameter.substring(equals + 1));
            }
        }
        for (Page page : pages) {
            Optional<Map<String, String>> inPath = page.path().match(path);
            if (inPath.isPresent() && page.takes(method)) {
                AccessAttempt attempt =
                        new AccessAttempt(AuditLog.off(), "http", method + " " + path, null);
                attempt.admit(caller);
                Page.Answer answer =
                        page.answer()
                                .apply(
                                        new Page.Request(
                                                path,
                                                inPath.get(),
                                                parameters,
                                                body.getBytes(StandardCharsets.UTF_8),
                                                "application/json",
                                                "",
                                                null,
                                                Map.of(),
                                                attempt,
                                                Cancellation.never(),
                                                new Page.Raw(method, target, RequestBody.EMPTY)));
                String json = new String(answer.body(), StandardCharsets.UTF_8);
                return new Answer(answer.status(), JsonParser.parseString(json).getAsJsonObject());
            }
        }
        throw new AssertionError("no page for " + method + " " + target);
    }

    Answer get(String path) {
        return send("GET", path, "");
    }

    Answer post(String path, String body) {
        return send("POST", path, body);
    }

    Answer createQueue(String name, String more) {
        return post(
                QUEUES,
                "{\"name\": \"projects/demo/locations/here/queues/" + name + "\"" + more + "}");
    }

    @Override
    public void close() {
        dispatchers.close();
        databases.close();
        scheduler.close();
    }
}
