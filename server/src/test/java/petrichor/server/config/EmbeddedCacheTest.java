package petrichor.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class EmbeddedCacheTest {
    private static final long MIB = 1 << 20;

    @Test
    void defaultIsAnEighthOfTheMemoryOrTheMinimum() {
        assertThat(EmbeddedCache.usualBytes(24 << 10)).isEqualTo(128 * MIB);
        assertThat(EmbeddedCache.usualBytes(24L << 30)).isEqualTo(3L << 30);
    }

    @Test
    void theKeyDecides() {
        assertThat(cacheBytes("")).isEqualTo(EmbeddedCache.usualBytes());
        assertThat(cacheBytes("256 MiB")).isEqualTo(256 * MIB);
        assertThatThrownBy(() -> cacheBytes("1 MiB"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("store.cache");
    }

    private static long cacheBytes(String value) {
        return ServerConfig.of(
                        Settings.read(
                                Optional.empty(), Map.of(), Map.of(ConfigKey.STORE_CACHE, value)))
                .store()
                .cacheBytes();
    }
}
