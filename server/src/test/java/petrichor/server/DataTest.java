package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.entities.IndexDefinition;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;

class DataTest {
    @TempDir Path folder;

    @Test
    void aStoreIsClosedWhenOpeningTheDataFails() {
        ServerConfig config = ServerConfig.defaults();
        List<IndexDefinition> impossible = Collections.singletonList(null);
        RocksStore store = RocksStore.open(folder);
        assertThatThrownBy(() -> Data.on(store, config, impossible))
                .isInstanceOf(NullPointerException.class);
        // a folder that is still open could not be opened again
        try (Data data = Data.open(config.withData(folder))) {
            assertThat(data.problem()).isEmpty();
        }
    }
}
