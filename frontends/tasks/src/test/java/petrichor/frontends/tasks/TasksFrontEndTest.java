package petrichor.frontends.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.frontends.tasks.RestTasks.QUEUES;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.services.queues.Queue;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.dispatch.Delivery;

class TasksFrontEndTest {
    private static final String NAME = "projects/demo/locations/here/queues/";
    private static final String TASKS = QUEUES + "/default/tasks";

    private final RestTasks rest = new RestTasks();

    @AfterEach
    void close() {
        rest.close();
    }

    private static List<String> names(JsonObject page, String what) {
        List<String> names = new ArrayList<>();
        JsonArray all = page.has(what) ? page.getAsJsonArray(what) : new JsonArray();
        for (JsonElement each : all) {
            String name = each.getAsJsonObject().get("name").getAsString();
            names.add(name.substring(name.lastIndexOf('/') + 1));
        }
        return names;
    }

    private static String later() {
        return Instant.now().plus(Duration.ofHours(1)).toString();
    }

    private RestTasks.Answer createTask(String fields) {
        return rest.post(TASKS, "{\"task\": {" + fields + "}}");
    }

    @Test
    void aQueueIsCreatedWithGooglesDefaults() {
        JsonObject queue = rest.createQueue("q", "").body();
        assertThat(queue.get("name").getAsString()).isEqualTo(NAME + "q");
        assertThat(queue.get("state").getAsString()).isEqualTo("RUNNING");
        assertThat(queue.getAsJsonObject("rateLimits").toString())
                .isEqualTo(
                        "{\"maxDispatchesPerSecond\":500.0,\"maxBurstSize\":100,"
                                + "\"maxConcurrentDispatches\":1000}");
        assertThat(queue.getAsJsonObject("retryConfig").toString())
                .isEqualTo(
                        "{\"maxAttempts\":100,\"minBackoff\":\"0.100s\",\"maxBackoff\":\"3600s\","
                                + "\"maxDoublings\":16}");
        assertThat(rest.get(QUEUES + "/q").body()).isEqualTo(queue);
        assertThat(rest.createQueue("q", "").code()).isEqualTo("ALREADY_EXISTS");
        assertThat(rest.get(QUEUES + "/z").code()).isEqualTo("NOT_FOUND");
        assertThat(rest.createQueue("not_valid", "").code()).isEqualTo("INVALID_ARGUMENT");
        RestTasks.Answer elsewhere =
                rest.post(QUEUES, "{\"name\": \"projects/demo/locations/there/queues/q\"}");
        assertThat(elsewhere.status()).isEqualTo(400);
    }

    @Test
    void anUpdateChangesTheFieldsOfItsMask() {
        rest.createQueue("q", ", \"rateLimits\": {\"maxConcurrentDispatches\": 7}");
        JsonObject updated =
                rest.send(
                                "PATCH",
                                QUEUES + "/q?updateMask=rateLimits.maxDispatchesPerSecond",
                                "{\"rateLimits\": {\"maxDispatchesPerSecond\": 2,"
                                        + " \"maxConcurrentDispatches\": 9}}")
                        .body()
                        .getAsJsonObject("rateLimits");
        assertThat(updated.get("maxDispatchesPerSecond").getAsDouble()).isEqualTo(2);
        assertThat(updated.get("maxConcurrentDispatches").getAsInt()).isEqualTo(7);
        assertThat(rest.send("PATCH", QUEUES + "/q?updateMask=nothing", "{}").code())
                .isEqualTo("INVALID_ARGUMENT");
        JsonObject unlimited =
                rest.send("PATCH", QUEUES + "/fresh", "{\"retryConfig\": {\"maxAttempts\": -1}}")
                        .body();
        assertThat(unlimited.getAsJsonObject("retryConfig").get("maxAttempts").getAsInt())
                .isEqualTo(-1);
    }

    @Test
    void queuesAreListedInPages() {
        for (String name : List.of("a", "b", "c")) {
            rest.createQueue(name, "");
        }
        JsonObject page = rest.get(QUEUES + "?pageSize=3").body();
        assertThat(names(page, "queues")).containsExactly("a", "b", "c");
        String token = page.get("nextPageToken").getAsString();
        page = rest.get(QUEUES + "?pageSize=3&pageToken=" + token).body();
        assertThat(names(page, "queues")).containsExactly("default");
        assertThat(page.has("nextPageToken")).isFalse();
        rest.post(QUEUES + "/b:pause", "{}");
        assertThat(names(rest.get(QUEUES + "?filter=state: PAUSED").body(), "queues"))
                .containsExactly("b");
        assertThat(rest.post(QUEUES + "/b:resume", "").text("state")).isEqualTo("RUNNING");
        assertThat(rest.get(QUEUES + "?filter=rate > 5").code()).isEqualTo("INVALID_ARGUMENT");
        assertThat(rest.get(QUEUES + "?pageSize=x").code()).isEqualTo("INVALID_ARGUMENT");
    }

    @Test
    void aTaskForAnotherServerIsDelivered() throws InterruptedException {
        RestTasks.Answer created =
                createTask(
                        "\"httpRequest\": {\"url\": \"https://example.com/x\", \"httpMethod\":"
                                + " \"PUT\", \"headers\": {\"X-Own\": \"1\"}, \"body\": \"YQ==\"}");
        assertThat(created.body().getAsJsonObject("httpRequest").has("body"))
                .as("the basic view has no body")
                .isFalse();
        Delivery delivery = rest.nextDelivery();
        TaskWork.Push push = (TaskWork.Push) delivery.task().work();
        assertThat(created.text("name")).endsWith("/tasks/" + delivery.task().name());
        assertThat(push.url()).isEqualTo("https://example.com/x");
        assertThat(push.method()).isEqualTo(TaskMethod.PUT);
        assertThat(push.headers()).containsExactly(new TaskWork.Header("X-Own", "1"));
        assertThat(push.body()).asString().isEqualTo("a");
    }

    @Test
    void aTaskForTheAppIsDelivered() throws InterruptedException {
        createTask(
                "\"appEngineHttpRequest\": {\"relativeUri\": \"/job?a=1\", \"appEngineRouting\":"
                        + " {\"service\": \"worker\", \"version\": \"v2\"}}");
        TaskWork.Push push = (TaskWork.Push) rest.nextDelivery().task().work();
        assertThat(push.url()).isEqualTo("/job?a=1");
        assertThat(push.target()).isEqualTo("v2.worker");
        assertThat(push.method()).isEqualTo(TaskMethod.POST);
    }

    private RestTasks.Answer named(String name) {
        return createTask(
                "\"name\": \""
                        + NAME
                        + "default/tasks/"
                        + name
                        + "\", \"scheduleTime\": \""
                        + later()
                        + "\", \"appEngineHttpRequest\": {\"body\": \"YQ==\"}");
    }

    @Test
    void aNameIsUsedOnce() {
        assertThat(named("a").status()).isEqualTo(200);
        assertThat(named("a").code()).isEqualTo("ALREADY_EXISTS");
        assertThat(rest.send("DELETE", TASKS + "/a", "").status()).isEqualTo(200);
        assertThat(rest.send("DELETE", TASKS + "/a", "").code()).isEqualTo("NOT_FOUND");
        assertThat(named("a").code()).isEqualTo("ALREADY_EXISTS");
        assertThat(rest.get(TASKS + "/a").code()).isEqualTo("NOT_FOUND");
    }

    @Test
    void tasksAreListedInPagesAndPurged() {
        for (String name : List.of("a", "b", "c")) {
            named(name);
        }
        JsonObject page = rest.get(TASKS + "?pageSize=2&responseView=FULL").body();
        assertThat(names(page, "tasks")).containsExactly("a", "b");
        assertThat(
                        page.getAsJsonArray("tasks")
                                .get(0)
                                .getAsJsonObject()
                                .getAsJsonObject("appEngineHttpRequest")
                                .get("body")
                                .getAsString())
                .isEqualTo("YQ==");
        String token = page.get("nextPageToken").getAsString();
        page = rest.get(TASKS + "?pageSize=2&pageToken=" + token).body();
        assertThat(names(page, "tasks")).containsExactly("c");
        assertThat(rest.post(QUEUES + "/default:purge", "{}").status()).isEqualTo(200);
        assertThat(names(rest.get(TASKS).body(), "tasks")).isEmpty();
    }

    /** A page fits into a message that clients accept. */
    @Test
    void aPageHasFewerTasksIfTheyAreLarge() {
        String body = java.util.Base64.getEncoder().encodeToString(new byte[90_000]);
        for (int i = 0; i < 40; i++) {
            createTask(
                    "\"scheduleTime\": \""
                            + later()
                            + "\", \"appEngineHttpRequest\": {\"body\": \""
                            + body
                            + "\"}");
        }
        JsonObject page = rest.get(TASKS + "?responseView=2").body();
        int first = names(page, "tasks").size();
        assertThat(first).isBetween(30, 39);
        String token = page.get("nextPageToken").getAsString();
        page = rest.get(TASKS + "?responseView=FULL&pageToken=" + token).body();
        assertThat(names(page, "tasks")).hasSize(40 - first);
    }

    @Test
    void aTaskRunsOnRequest() throws InterruptedException {
        named("a");
        assertThat(rest.post(TASKS + "/a:run", "{}").text("name")).endsWith("/tasks/a");
        assertThat(rest.nextDelivery().task().name()).isEqualTo("a");
        assertThat(rest.post(TASKS + "/b:run", "{}").code()).isEqualTo("NOT_FOUND");
    }

    @Test
    void whatATaskMustNotContain() {
        for (String fields :
                List.of(
                        "",
                        "\"httpRequest\": {\"url\": \"ftp://example.com/\"}",
                        "\"httpRequest\": {\"url\": \"/path\"}",
                        "\"httpRequest\": {\"url\": \"http://example.com/a b\"}",
                        "\"httpRequest\": {\"url\": \"http://example.com/\", \"httpMethod\":"
                                + " \"GET\", \"body\": \"YQ==\"}",
                        "\"httpRequest\": {\"url\": \"http://example.com/\", \"headers\": {\"A\":"
                                + " \"1\\r\\nB: 2\"}}",
                        "\"httpRequest\": {\"url\": \"http://example.com/\", \"oidcToken\": {}}",
                        "\"appEngineHttpRequest\": {\"relativeUri\": \"job\"}",
                        "\"appEngineHttpRequest\": {}, \"dispatchDeadline\": \"1s\"",
                        "\"appEngineHttpRequest\": {}, \"name\": \"a\"",
                        "\"appEngineHttpRequest\": {}, \"name\": \"" + NAME + "other/tasks/a\"")) {
            RestTasks.Answer answer = createTask(fields);
            assertThat(answer.status()).as(fields).isEqualTo(400);
            assertThat(answer.code()).as(fields).isEqualTo("INVALID_ARGUMENT");
        }
        assertThat(
                        rest.post(QUEUES + "/z/tasks", "{\"task\": {\"appEngineHttpRequest\": {}}}")
                                .code())
                .isEqualTo("NOT_FOUND");
        assertThat(rest.post(TASKS, "{").code()).isEqualTo("INVALID_ARGUMENT");
        assertThat(rest.get("/v2/projects/demo/locations").code()).isEqualTo("NOT_FOUND");
    }

    @Test
    void pullQueuesAreNotPartOfThisApi() {
        rest.dispatchers.open("demo").define(List.of(Queue.pull("pull")));
        assertThat(rest.get(QUEUES + "/pull").code()).isEqualTo("FAILED_PRECONDITION");
        assertThat(names(rest.get(QUEUES).body(), "queues")).containsExactly("default");
    }

    @Test
    void filesOfAppEngineDefineQueuesAndCronJobs() {
        JsonObject queues =
                rest.post(
                                "/petrichor/v1/queues/demo",
                                "queue:\n- name: mail\n  rate: 2/s\n- name: pull\n  mode: pull\n")
                        .body();
        assertThat(queues.get("names").toString()).isEqualTo("[\"mail\",\"pull\"]");
        assertThat(
                        rest.get(QUEUES + "/mail")
                                .body()
                                .getAsJsonObject("rateLimits")
                                .get("maxDispatchesPerSecond")
                                .getAsDouble())
                .isEqualTo(2);
        JsonObject jobs =
                rest.post(
                                "/petrichor/v1/cron/demo",
                                "cron:\n- url: /daily\n  schedule: every 24 hours\n")
                        .body();
        assertThat(jobs.get("names").toString()).isEqualTo("[\"/daily\"]");
        assertThat(rest.dispatchers.cronJobs("demo").all()).hasSize(1);
        assertThat(rest.post("/petrichor/v1/queues/demo", "queue: 5").code())
                .isEqualTo("INVALID_ARGUMENT");
    }

    @Test
    void aTokenNeedsTheRoleAndTheProject() {
        Caller writer =
                new Caller(
                        "app",
                        Role.WRITE,
                        new Scope.Limited(java.util.Set.of("demo"), java.util.Set.of()));
        try (RestTasks limited = new RestTasks(writer)) {
            String task = "{\"task\": {\"appEngineHttpRequest\": {}}}";
            assertThat(limited.post(TASKS, task).status()).isEqualTo(200);
            assertThat(limited.createQueue("q", "").code()).isEqualTo("PERMISSION_DENIED");
            assertThat(limited.post(TASKS.replace("demo", "other"), task).code())
                    .isEqualTo("PERMISSION_DENIED");
        }
    }
}
