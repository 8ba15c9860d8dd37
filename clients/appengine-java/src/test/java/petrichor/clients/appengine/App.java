package petrichor.clients.appengine;

import com.google.appengine.api.datastore.DatastoreServiceFactory;
import com.google.appengine.api.datastore.Transaction;
import com.google.appengine.setup.ApiProxyDelegate;
import com.google.appengine.setup.ApiProxyEnvironment;
import com.google.appengine.setup.LazyApiProxyEnvironment;
import com.google.appengine.setup.RequestThreadFactory;
import com.google.appengine.setup.TimerImpl;
import com.google.appengine.setup.utils.http.HttpRequest;
import com.google.apphosting.api.ApiProxy;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;

/**
 * An app whose requests run in this process. Each request has an environment that the SDK makes from header fields, as
 * on App Engine. Without tokens, a ticket {@code PROJECT/anything} names the app. Tests use apps of their own, so they
 * do not see each other's data.
 */
record App(String project) {
    static final String TICKET = ApiProxyEnvironment.TICKET_HEADER;

    private static final ApiProxyDelegate CALLS = new TicketDelegate();
    private static final long REQUEST_MILLIS_MAX = 600_000;

    /** A piece of a request that returns nothing. */
    interface Action {
        void run() throws Exception;
    }

    static App unique() {
        return new App("t" + UUID.randomUUID().toString().replace("-", "").substring(0, 20));
    }

    static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException("set " + name + ", or start these tests with clients/run");
        }
        return value;
    }

    static String server() {
        return variable("API_HOST") + ":" + variable("API_PORT");
    }

    void run(Action action) throws Exception {
        call(() -> {
            action.run();
            return null;
        });
    }

    <T> T call(Callable<T> action) throws Exception {
        return call(Map.of(TICKET, project + "/request"), action);
    }

    /** A request with these header fields, whose names are case-sensitive here. */
    <T> T call(Map<String, String> headers, Callable<T> action) throws Exception {
        return call(CALLS, headers::get, action);
    }

    <T> T call(HttpRequest headers, Callable<T> action) throws Exception {
        return call(CALLS, headers, action);
    }

    <T> T call(ApiProxyDelegate calls, HttpRequest headers, Callable<T> action) throws Exception {
        ApiProxy.setDelegate(calls);
        ApiProxy.setEnvironmentForCurrentThread(environment(headers));
        try {
            return action.call();
        } finally {
            // As the SDK's filter for the ends of requests does.
            DatastoreServiceFactory.getDatastoreService().getActiveTransactions().forEach(Transaction::rollback);
            ApiProxy.clearEnvironmentForCurrentThread();
        }
    }

    private ApiProxy.Environment environment(HttpRequest headers) {
        Map<String, String> process = new HashMap<>();
        process.put("GAE_APPLICATION", "s~" + project);
        process.put("GAE_SERVICE", "default");
        process.put("GAE_VERSION", "v1");
        process.put("GAE_INSTANCE", "i1");
        LazyApiProxyEnvironment environment = new LazyApiProxyEnvironment(() -> ApiProxyEnvironment.createFromHeaders(
                process, headers, server(), new TimerImpl(), REQUEST_MILLIS_MAX));
        // The SDK's own factory gives threads an environment that its delegate cannot cast.
        environment
                .getAttributes()
                .put(ApiProxyEnvironment.REQUEST_THREAD_FACTORY_ATTR, new RequestThreadFactory(environment));
        return environment;
    }
}
