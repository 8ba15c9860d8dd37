package petrichor.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FileHandlesTest {
    @Test
    void connectionsLeaveHandlesForTheStore() {
        int store = FileHandles.forEmbeddedStore(20_000, 512);
        assertThat(store).isEqualTo(512);
        int connections = FileHandles.connections(20_000, 20_000, 200, store);
        assertThat(200 + connections + store + FileHandles.RESERVED).isLessThanOrEqualTo(20_000);
        assertThat(connections).isGreaterThan(19_000);
    }

    @Test
    void withFewHandlesAllSharesShrink() {
        int store = FileHandles.forEmbeddedStore(400, 512);
        assertThat(store).isEqualTo(100);
        assertThat(FileHandles.connections(20_000, 400, 50, store)).isEqualTo(122);
        assertThat(FileHandles.connections(20_000, 64, 20, 32)).isEqualTo(16);
    }

    @Test
    void aSmallerLimitThatWasConfiguredHolds() {
        assertThat(FileHandles.connections(8, 20_000, 200, 512)).isEqualTo(8);
    }

    @Test
    void theHandlesOfThisProcessAreKnown() {
        assertThat(FileHandles.max()).isPositive();
        assertThat(FileHandles.free()).isPositive();
        assertThat(FileHandles.open()).isPositive().isLessThan(FileHandles.max());
    }
}
