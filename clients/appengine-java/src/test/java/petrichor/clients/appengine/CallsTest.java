package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.ThreadManager;
import com.google.appengine.api.memcache.MemcacheService;
import com.google.appengine.api.memcache.MemcacheServiceFactory;
import com.google.appengine.setup.ApiProxyDelegate;
import com.google.apphosting.api.ApiProxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The protocol itself: tickets, deadlines, unknown calls, concurrency. */
class CallsTest {
    private final App app = App.unique();
    private final MemcacheService cache = MemcacheServiceFactory.getMemcacheService();

    @Test
    void theTicketDecidesWhoseDataIsUsed() throws Exception {
        App other = App.unique();
        app.run(() -> cache.put("k", "mine"));
        assertThat(other.call(() -> cache.get("k"))).isNull();
        Map<String, String> ticketOfTheFirst = Map.of(App.TICKET, app.project() + "/2");
        assertThat(other.call(ticketOfTheFirst, () -> cache.get("k"))).isEqualTo("mine");
    }

    @Test
    void theUnchangedDelegateCallsForTheDefaultProject() throws Exception {
        ApiProxyDelegate unchanged = new ApiProxyDelegate();
        app.call(unchanged, name -> null, () -> {
            cache.put(app.project(), "default");
            return null;
        });
        assertThat(App.unique().call(unchanged, name -> null, () -> cache.get(app.project()))).isEqualTo("default");
        assertThat(app.call(() -> cache.get(app.project()))).isNull();
    }

    @Test
    void anExpiredTicketIsRefused() {
        Map<String, String> expired = Map.of(App.TICKET, "ticket." + "0".repeat(32));
        assertThatThrownBy(() -> app.call(expired, () -> ApiProxy.makeSyncCall("memcache", "Stats", new byte[0])))
                .isInstanceOf(ApiProxy.UnknownException.class);
    }

    @Test
    void unknownServicesAndMethodsAreNotFound() {
        assertThatThrownBy(() -> app.call(() -> ApiProxy.makeSyncCall("nothing", "Get", new byte[0])))
                .isInstanceOf(ApiProxy.CallNotFoundException.class);
        assertThatThrownBy(() -> app.call(() -> ApiProxy.makeSyncCall("memcache", "Nothing", new byte[0])))
                .isInstanceOf(ApiProxy.CallNotFoundException.class);
    }

    @Test
    void aMessageThatCannotBeParsedIsAnArgumentError() {
        byte[] wrong = "\u0000wrong".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> app.call(() -> ApiProxy.makeSyncCall("memcache", "Get", wrong)))
                .isInstanceOf(ApiProxy.ArgumentException.class);
    }

    @Test
    void aDeadlineThatHasPassedIsExceeded() {
        ApiProxy.ApiConfig config = new ApiProxy.ApiConfig();
        config.setDeadlineInSeconds(0.5); // the SDK sends whole seconds: 0
        assertThatThrownBy(() ->
                        app.call(() -> ApiProxy.makeAsyncCall("memcache", "Stats", new byte[0], config).get()))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ApiProxy.ApiDeadlineExceededException.class);
    }

    @Test
    void manyCallsAtOnce() throws Exception {
        app.run(() -> {
            List<Future<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                calls.add(ApiProxy.makeAsyncCall("memcache", "Stats", new byte[0]));
            }
            for (Future<byte[]> call : calls) {
                assertThat(call.get()).isNotEmpty();
            }
        });
    }

    @Test
    void threadsOfARequestCallForItsApp() throws Exception {
        app.run(() -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                threads.add(ThreadManager.createThreadForCurrentRequest(() -> {
                    for (int count = 0; count < 25; count++) {
                        cache.increment("n", 1, 0L);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(cache.get("n")).isEqualTo(200L);
        });
    }
}
