package petrichor.services.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

final class FetchAllowlistTest {
    @Test
    void namesDomainsAddressesAndBlocksWithAndWithoutPorts() {
        assertThat(permits("intranet.example", "intranet.example", "10.0.0.1", 80)).isTrue();
        assertThat(permits("intranet.example", "a.intranet.example", "10.0.0.1", 80)).isFalse();
        assertThat(permits("*.intranet.example", "a.intranet.example", "10.0.0.1", 80)).isTrue();
        assertThat(permits("*.intranet.example", "intranet.example", "10.0.0.1", 80)).isFalse();
        assertThat(permits("*.intranet.example", "evilintranet.example", "10.0.0.1", 80)).isFalse();
        assertThat(permits("localhost:8080", "localhost", "127.0.0.1", 8080)).isTrue();
        assertThat(permits("localhost:8080", "localhost", "127.0.0.1", 8081)).isFalse();
        assertThat(permits("10.1.0.0/16", "any", "10.1.255.1", 80)).isTrue();
        assertThat(permits("10.1.0.0/16", "any", "10.2.0.1", 80)).isFalse();
        assertThat(permits("10.1.0.4/31:9000", "any", "10.1.0.5", 9000)).isTrue();
        assertThat(permits("10.1.0.4/31:9000", "any", "10.1.0.6", 9000)).isFalse();
        assertThat(permits("::1", "any", "::1", 80)).isTrue();
        assertThat(permits("fd00::/8", "any", "fd12::1", 80)).isTrue();
        assertThat(permits("[fd00::]/8:90", "any", "fd12::1", 91)).isFalse();
        assertThat(permits("[fd00::]/8:90", "any", "fd12::1", 90)).isTrue();
    }

    @Test
    void nonsenseIsRefusedAndNamed() {
        for (String entry : List.of("http://a/", "10.0.0.0/40", "a:0", "a:x", "a b", "1.2.3.4.5")) {
            assertThatThrownBy(() -> FetchAllowlist.parse(List.of(entry)))
                    .as(entry)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining(entry.contains("40") ? "10.0.0.0/40" : entry);
        }
    }

    private static boolean permits(String entry, String host, String address, int port) {
        return FetchAllowlist.parse(List.of(entry))
                .permits(host, InetAddress.ofLiteral(address), port);
    }
}
