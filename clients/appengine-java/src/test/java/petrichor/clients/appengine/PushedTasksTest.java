package petrichor.clients.appengine;

import static com.google.appengine.api.taskqueue.RetryOptions.Builder.withTaskRetryLimit;
import static com.google.appengine.api.taskqueue.TaskOptions.Builder.withPayload;
import static com.google.appengine.api.taskqueue.TaskOptions.Builder.withUrl;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.datastore.DatastoreService;
import com.google.appengine.api.datastore.DatastoreServiceFactory;
import com.google.appengine.api.datastore.Transaction;
import com.google.appengine.api.memcache.MemcacheService;
import com.google.appengine.api.memcache.MemcacheServiceFactory;
import com.google.appengine.api.taskqueue.DeferredTask;
import com.google.appengine.api.taskqueue.Queue;
import com.google.appengine.api.taskqueue.QueueFactory;
import com.google.appengine.api.taskqueue.TaskOptions;
import com.google.appengine.api.taskqueue.ee10.DeferredTaskContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks that the server sends to this process: requests and deferred tasks. */
class PushedTasksTest {
    private static final App APP = new App("pushed-java");
    private static final long SECONDS_MAX = 60;
    private static final BlockingQueue<String> ARRIVALS = new ArrayBlockingQueue<>(100);

    private final MemcacheService cache = MemcacheServiceFactory.getMemcacheService();
    private final Queue queue = QueueFactory.getDefaultQueue();
    private ServletApp server;

    /** Reports its text and what the app has in memcache: the ticket of a task allows calls. */
    static class Report implements DeferredTask {
        private static final long serialVersionUID = 1;

        private final String text;

        Report(String text) {
            this.text = text;
        }

        @Override
        public void run() {
            ARRIVALS.add(text + " " + MemcacheServiceFactory.getMemcacheService().get("k"));
        }
    }

    /** Fails once and marks itself for a repetition. */
    static class Repeated implements DeferredTask {
        private static final long serialVersionUID = 1;

        @Override
        public void run() {
            boolean first = MemcacheServiceFactory.getMemcacheService().increment("runs", 1, 0L) == 1;
            ARRIVALS.add(first ? "first" : "again");
            if (first) {
                DeferredTaskContext.markForRetry();
            }
        }
    }

    @BeforeEach
    void start() throws Exception {
        ARRIVALS.clear();
        TaskQueueTest.define(APP, "queue:\n- name: default\n  rate: 100/s\n- name: fast\n  rate: 100/s\n");
        APP.run(() -> {
            queue.purge();
            cache.clearAll();
            cache.put("k", "v");
        });
        server = new ServletApp(APP, Integer.parseInt(App.variable("PETRICHOR_TEST_PUSH_JAVA")), this::arrived);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** A page that reports a request, and refuses it as often as the parameter {@code failures} says. */
    private void arrived(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int retries = Integer.parseInt(request.getHeader("X-AppEngine-TaskRetryCount"));
        String failures = request.getQueryString() == null ? "0" : request.getQueryString().replace("failures=", "");
        ARRIVALS.add(String.join(
                " ",
                request.getMethod(),
                request.getRequestURI(),
                new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8),
                String.valueOf(request.getHeader("X-Own")),
                request.getHeader("X-AppEngine-QueueName"),
                "retries=" + retries,
                String.valueOf(cache.get("k"))));
        response.setStatus(retries < Integer.parseInt(failures) ? 503 : 200);
    }

    private static String arrival() throws InterruptedException {
        String arrival = ARRIVALS.poll(SECONDS_MAX, TimeUnit.SECONDS);
        assertThat(arrival).as("a task within %s s", SECONDS_MAX).isNotNull();
        return arrival;
    }

    @Test
    void aTaskArrivesWithParametersAndHeaders() throws Exception {
        APP.run(() -> {
            QueueFactory.getQueue("fast").add(withUrl("/job").param("a", "ü").header("X-Own", "1"));
            assertThat(arrival()).isEqualTo("POST /job a=%C3%BC 1 fast retries=0 v");
            queue.add(withUrl("/put").method(TaskOptions.Method.PUT).payload("body"));
            assertThat(arrival()).isEqualTo("PUT /put body null default retries=0 v");
        });
    }

    @Test
    void aTaskWithoutAUrlGoesToThePathOfItsQueue() throws Exception {
        APP.run(() -> {
            queue.add();
            assertThat(arrival()).startsWith("POST /_ah/queue/default ");
        });
    }

    @Test
    void aFailedTaskIsRepeated() throws Exception {
        APP.run(() -> {
            queue.add(withUrl("/job?failures=2")
                    .method(TaskOptions.Method.GET)
                    .retryOptions(withTaskRetryLimit(5).minBackoffSeconds(0.1)));
            for (int i = 0; i <= 2; i++) {
                assertThat(arrival()).contains("retries=" + i);
            }
        });
    }

    @Test
    void deferredTasksRun() throws Exception {
        APP.run(() -> {
            queue.add(withPayload(new Report("now")));
            assertThat(arrival()).isEqualTo("now v");
        });
    }

    @Test
    void aDeferredTaskIsRepeatedUntilItSucceeds() throws Exception {
        APP.run(() -> {
            queue.add(withPayload(new Repeated()).retryOptions(withTaskRetryLimit(5).minBackoffSeconds(0.1)));
            assertThat(arrival()).isEqualTo("first");
            assertThat(arrival()).isEqualTo("again");
        });
    }

    @Test
    void deferredTasksOfATransactionRunAfterItsCommit() throws Exception {
        DatastoreService store = DatastoreServiceFactory.getDatastoreService();
        APP.run(() -> {
            Transaction failed = store.beginTransaction();
            queue.add(failed, withPayload(new Report("rolled back")));
            failed.rollback();
            Transaction transaction = store.beginTransaction();
            queue.add(transaction, withPayload(new Report("committed")));
            transaction.commit();
            assertThat(arrival()).isEqualTo("committed v");
        });
    }
}
