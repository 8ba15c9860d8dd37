package petrichor.testing.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheGetRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheGetResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetRequest;
import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.ForwardingStore;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;

/**
 * Tests that apps may call any server of a cluster: the owner of their database executes the calls,
 * although it does not know their tickets.
 */
final class AppsOnSeveralServersTest {
    private static final int PROJECTS = 12;

    private static final ByteString KEY = ByteString.copyFromUtf8("k");

    private final MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT.withoutViews());
    private final EmbeddedLedger ledger = new EmbeddedLedger();
    private final List<AppServer> servers = new ArrayList<>();

    private void start(int count) {
        for (int i = 0; i < count; i++) {
            servers.add(
                    new AppServer(
                            new ForwardingStore(store) {
                                @Override
                                public void close() {}
                            },
                            ledger));
        }
        for (AppServer server : servers) {
            Wait.until(
                    "each server knows all of them",
                    Duration.ofSeconds(60),
                    () -> server.node().metrics().members() == count);
        }
    }

    @AfterEach
    void stop() {
        servers.forEach(AppServer::close);
        store.close();
    }

    private static Response set(AppServer server, String project, ByteString value) {
        return server.call(
                server.ticket(project),
                "Set",
                MemcacheSetRequest.newBuilder()
                        .addItem(MemcacheSetRequest.Item.newBuilder().setKey(KEY).setValue(value))
                        .build());
    }

    private static List<ByteString> get(AppServer server, String project) {
        Response response =
                server.call(
                        server.ticket(project),
                        "Get",
                        MemcacheGetRequest.newBuilder().addKey(KEY).build());
        assertThat(response.hasResponse()).as(response.toString()).isTrue();
        try {
            return MemcacheGetResponse.parseFrom(response.getResponse()).getItemList().stream()
                    .map(MemcacheGetResponse.Item::getValue)
                    .toList();
        } catch (InvalidProtocolBufferException damaged) {
            throw new AssertionError(damaged);
        }
    }

    @Test
    void everyServerSeesTheSameCacheOfAnApp() {
        start(3);
        ByteString large = ByteString.copyFrom(new byte[500_000]);
        for (int i = 0; i < PROJECTS; i++) {
            String project = "project-" + i;
            ByteString value = i == 0 ? large : ByteString.copyFromUtf8(project);
            assertThat(set(servers.get(i % 3), project, value).hasResponse()).isTrue();
            for (AppServer server : servers) {
                assertThat(get(server, project)).containsExactly(value);
            }
        }
        for (AppServer server : servers) {
            assertThat(server.node().metrics().owned()).as("databases owned").isPositive();
            assertThat(server.node().metrics().forwarded()).as("calls forwarded").isPositive();
        }
    }

    @Test
    void anErrorOfAnApiComesBackFromTheOwner() {
        start(2);
        for (int i = 0; i < PROJECTS; i++) {
            String project = "project-" + i;
            set(servers.get(0), project, ByteString.copyFromUtf8("not a number"));
            for (AppServer server : servers) {
                Response refused =
                        server.call(
                                server.ticket(project),
                                "Increment",
                                MemcacheIncrementRequest.newBuilder().setKey(KEY).build());
                assertThat(refused.getApplicationError().getCode()).isEqualTo(6);
                assertThat(refused.getApplicationError().getDetail()).contains("not an unsigned");
            }
        }
    }

    @Test
    void aTicketOfAnotherServerIsRefused() {
        start(2);
        Response refused =
                servers.get(1)
                        .call(
                                servers.get(0).ticket("demo"),
                                "Get",
                                MemcacheGetRequest.newBuilder().addKey(KEY).build());
        assertThat(refused.getRpcError().getDetail()).contains("another server issued it");
    }

    /** The next owner cannot know what a dead one had in memory. */
    @Test
    void theCacheOfADeadServerIsEmpty() {
        start(2);
        for (int i = 0; i < PROJECTS; i++) {
            assertThat(
                            set(servers.get(0), "project-" + i, ByteString.copyFromUtf8("before"))
                                    .hasResponse())
                    .isTrue();
        }
        assertThat(servers.get(1).node().metrics().owned()).isPositive();
        servers.get(1).die();
        int lost = 0;
        for (int i = 0; i < PROJECTS; i++) {
            String project = "project-" + i;
            Wait.until(
                    "the app's database has an owner again",
                    Duration.ofSeconds(60),
                    () ->
                            servers.get(0)
                                    .call(
                                            servers.get(0).ticket(project),
                                            "Get",
                                            MemcacheGetRequest.newBuilder().addKey(KEY).build())
                                    .hasResponse());
            lost += get(servers.get(0), project).isEmpty() ? 1 : 0;
            assertThat(set(servers.get(0), project, ByteString.copyFromUtf8("after")).hasResponse())
                    .isTrue();
            assertThat(get(servers.get(0), project))
                    .containsExactly(ByteString.copyFromUtf8("after"));
        }
        assertThat(lost).isBetween(1, PROJECTS - 1);
    }
}
