package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import petrichor.deployment.Node;

class RealStoreTest {

    @Test
    void sharedServersAreStartedOnce() {
        RealStore one = RealStore.of(new WebServerDeployment("web", 8_000));
        assertThat(RealStore.of(new WebServerDeployment("web", 8_000))).isSameAs(one);
        assertThat(answers(one, 1)).isTrue();
    }

    @Test
    void nodesAreKilledStartedPausedAndResumed() {
        try (RealStore store = RealStore.start(new WebServerDeployment("web", 8_000), 2)) {
            assertThat(store.url()).startsWith("web://127.0.0.1:");
            store.kill(1);
            assertThat(answers(store, 1)).isFalse();
            assertThat(answers(store, 2)).isTrue();
            store.start(1);
            assertThat(answers(store, 1)).isTrue();
            store.pause(2);
            assertThat(answers(store, 2)).isFalse();
            store.resume(2);
            assertThat(answers(store, 2)).isTrue();
        }
    }

    @Test
    void closedStoreLeavesNothing() {
        RealStore store = RealStore.start(new WebServerDeployment("web", 8_000), 1);
        Node node = store.cluster().first();
        store.close();
        store.close();
        assertThat(new WebServerDeployment("web", 8_000).serves(store.cluster(), node)).isFalse();
        assertThat(node.folder().getParent()).doesNotExist();
    }

    private static boolean answers(RealStore store, int node) {
        return new WebServerDeployment("web", 8_000)
                .serves(store.cluster(), store.cluster().nodes().get(node - 1));
    }
}
