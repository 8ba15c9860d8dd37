package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.AppSettings;
import petrichor.server.config.ServerConfig;

/** Channels over several servers: apps and browsers use any of them. */
final class ChannelClusterTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final String PROJECT = "demo";

    private final PresenceApp presence = PresenceApp.start();
    private final TestCluster cluster =
            TestCluster.start(
                    3,
                    MemoryOptions.DEFAULT,
                    config -> withApps(config, presence.config(PROJECT).apps()));

    @AfterEach
    void close() {
        cluster.close();
        presence.close();
    }

    private static ServerConfig withApps(ServerConfig config, AppSettings apps) {
        return new ServerConfig(
                config.server(),
                config.store(),
                config.cluster(),
                config.auth(),
                config.tls(),
                config.indexes(),
                config.transactions(),
                config.jobs(),
                apps,
                config.limits(),
                config.log());
    }

    private static ChannelApp app(TestCluster.Node node) {
        return new ChannelApp(node.server(), PROJECT);
    }

    @Test
    void aMessageReachesAClientAtAnyServer() throws Exception {
        String[] tokens = new String[3];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = app(cluster.node((i + 1) % 3)).create("client" + i);
        }
        try (ChannelClient zero = ChannelClient.socket(cluster.node(0).server(), tokens[0]);
                ChannelClient one = ChannelClient.events(cluster.node(1).server(), tokens[1]);
                ChannelClient two = ChannelClient.socket(cluster.node(2).server(), tokens[2])) {
            assertThat(one.next()).isEqualTo("event: accepted");
            assertThat(one.next()).isEqualTo("data: 1");
            for (TestCluster.Node node : cluster.nodes()) {
                for (int i = 0; i < tokens.length; i++) {
                    app(node).send("client" + i, "to " + i);
                }
                assertThat(zero.next()).isEqualTo("to 0");
                assertThat(one.next()).isEqualTo("data: \"to 1\"");
                assertThat(two.next()).isEqualTo("to 2");
            }
            for (int i = 0; i < tokens.length; i++) {
                assertThat(presence.next()).contains("/_ah/channel/connected/");
            }
            two.leave();
            assertThat(presence.next()).contains("/_ah/channel/disconnected/", "from=client2");
        }
    }

    @Test
    void aClientConnectsToAnotherServer() {
        String token = app(cluster.node(0)).create("ann");
        try (ChannelClient first = ChannelClient.socket(cluster.node(0).server(), token);
                ChannelClient second = ChannelClient.socket(cluster.node(1).server(), token)) {
            assertThat(first.next()).isEqualTo("closed 4409");
            app(cluster.node(2)).send("ann", "hello");
            assertThat(second.next()).isEqualTo("hello");
        }
    }

    @Test
    void connectionsSurviveTheEndOfTheOwner() {
        String token = app(cluster.node(0)).create("ann");
        Wait.until(
                "an owner",
                LONG,
                () -> cluster.nodes().stream().anyMatch(node -> node.owns(PROJECT)));
        TestCluster.Node owner = cluster.owner(PROJECT);
        TestCluster.Node other = cluster.other(owner);
        try (ChannelClient ann = ChannelClient.socket(other.server(), token)) {
            app(owner).send("ann", "from the owner");
            assertThat(ann.next()).isEqualTo("from the owner");
            owner.server().server().close();
            app(other).send("ann", "from the next owner");
            assertThat(ann.next()).isEqualTo("from the next owner");
            assertThat(ann.hasNothing()).isTrue();
        }
    }

    @Test
    void connectionsSurviveAnOwnerThatLosesItsLease() {
        String token = app(cluster.node(0)).create("ann");
        TestCluster.Node owner = cluster.owner(PROJECT);
        TestCluster.Node other = cluster.other(owner);
        try (ChannelClient ann = ChannelClient.socket(other.server(), token)) {
            app(other).send("ann", "before");
            assertThat(ann.next()).isEqualTo("before");
            owner.ledger().mute();
            // Until its lease expires, the former owner accepts messages.
            Wait.until(
                    "another server owns the channels",
                    LONG,
                    () ->
                            app(other)
                                            .response(
                                                    "SendChannelMessage",
                                                    ChannelApp.message("ann", "after"))
                                            .hasResponse()
                                    && cluster.nodes().stream()
                                            .anyMatch(
                                                    node ->
                                                            !node.equals(owner)
                                                                    && node.owns(PROJECT)));
            app(other).send("ann", "last");
            String received = ann.next();
            while (received.equals("after")) {
                received = ann.next();
            }
            assertThat(received).isEqualTo("last");
        }
    }
}
