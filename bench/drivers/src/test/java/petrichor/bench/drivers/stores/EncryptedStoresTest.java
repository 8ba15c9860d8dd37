package petrichor.bench.drivers.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import petrichor.kv.StoreUrl;

final class EncryptedStoresTest {
    private final BareDrivers drivers = new BareDrivers();

    /** They would be compared with a driver that does not encrypt. */
    @Test
    void encryptedStoresAreRefused() {
        assertThat(drivers.schemes()).isNotEmpty();
        for (String scheme : drivers.schemes()) {
            StoreUrl url = StoreUrl.parse(scheme + "://ann:secret@127.0.0.1:1/petrichor?tls=on");
            assertThatThrownBy(() -> drivers.open(url))
                    .hasMessageContaining(scheme + "://ann@127.0.0.1:1/petrichor is measured")
                    .hasMessageContaining("without TLS");
        }
    }
}
